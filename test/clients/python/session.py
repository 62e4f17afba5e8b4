"""A session of the Python SDK: creates, reads, lists, changes and removes objects of each kind that it knows.

Environment: VMCTL_URL, VMCTL_CA_FILE, VMCTL_USERNAME, VMCTL_PASSWORD of a server with the inventory "small".
Prints one JSON object per step: {"step": NAME, "error": TEXT or null}.
"""

import hashlib
import json
import os
import tempfile
import time
import traceback

import ovirtsdk4 as sdk
from ovirt_imageio import client as imageio
from ovirtsdk4 import types

GIB = 2**30
MIB = 2**20
password = os.environ["VMCTL_PASSWORD"]


def connect():
    return sdk.Connection(
        url=os.environ["VMCTL_URL"],
        username=os.environ["VMCTL_USERNAME"],
        password=password,
        ca_file=os.environ["VMCTL_CA_FILE"],
    )


connection = connect()
system = connection.system_service()
made = {}


def step(name):
    """Runs a function as a step, and prints how it ended."""

    def decorate(function):
        error = None
        try:
            made[name] = function()
        except Exception as problem:  # Each step reports its own problem, so that the others still run.
            where = traceback.extract_tb(problem.__traceback__)[-1]
            error = f"{type(problem).__name__}: {str(problem).strip()} ({where.name}, {where.lineno})"
        print(json.dumps({"step": name, "error": error}), flush=True)
        return function

    return decorate


def wait_until(condition, what, seconds=60):
    """Polls until the condition is true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.05)
    raise TimeoutError(f"{what}: not within {seconds} seconds")


def wait_for(service, status):
    wait_until(lambda: service.get().status == status, f"status {status}")


def gone(service):
    """Waits until a read is refused; engines answer 400 for unknown affinity groups, otherwise 404."""

    def absent():
        try:
            service.get()
            return False
        except sdk.Error as error:
            if error.code not in (400, 404):
                raise
            return True

    wait_until(absent, "removal")


def first(service, **query):
    found = service.list(**query)
    assert found, f"{type(service).__name__} lists nothing"
    return found[0]


def life(name, service, new, change=None, keep=False, listed=True, remove=None):
    """Creates, reads, lists, changes and removes an object; `keep` leaves it for later steps."""

    @step(name)
    def _():
        added = service.add(new)
        assert added.id, "no id"
        one = service.service(added.id)
        read = one.get()
        assert read.id == added.id and read.href, "the object that was read is another"
        if hasattr(new, "name") and new.name is not None:
            assert read.name == new.name, f"name is {read.name}"
        if listed:
            assert added.id in [each.id for each in service.list()], "the list lacks it"
        if change:
            one.update(change)
            after = one.get()
            for member in ("name", "description", "comment", "value"):
                wanted = getattr(change, member, None)
                assert wanted is None or getattr(after, member) == wanted, f"{member} was not changed"
        if keep:
            return one
        (remove or (lambda service: service.remove()))(one)
        gone(one)
        return None


@step("connection: test")
def _():
    connection.test(raise_exception=True)


@step("connection: wrong password")
def _():
    wrong = sdk.Connection(
        url=os.environ["VMCTL_URL"],
        username=os.environ["VMCTL_USERNAME"],
        password="wrong",
        ca_file=os.environ["VMCTL_CA_FILE"],
    )
    assert not wrong.test(), "a wrong password is accepted"


@step("API summary")
def _():
    api = system.get()
    assert api.product_info.version.major == 4
    assert api.summary.vms.total >= 1


readable = [
    "bookmarks", "cluster_levels", "clusters", "cpu_profiles", "data_centers", "disk_profiles", "disks", "domains",
    "events", "external_host_providers", "external_vm_imports", "groups", "hosts", "icons", "image_transfers",
    "instance_types", "jobs", "katello_errata", "mac_pools", "network_filters", "networks",
    "openstack_image_providers", "openstack_network_providers", "openstack_volume_providers",
    "operating_systems", "permissions", "roles", "scheduling_policies", "scheduling_policy_units",
    "storage_connections", "storage_domains", "tags", "templates", "users", "vm_pools", "vms", "vnic_profiles",
]

for kind in readable:

    @step(f"list {kind}")
    def _(kind=kind):
        service = getattr(system, f"{kind}_service")()
        if not hasattr(service, "list"):
            return
        for one in service.list():
            if one.href and one.id:
                read = connection.follow_link(one)
                assert read is not None


life(
    "bookmarks",
    system.bookmarks_service(),
    types.Bookmark(name="sdk-bookmark", value="Vms: name=a*"),
    types.Bookmark(value="Vms: name=b*"),
)
life(
    "tags",
    system.tags_service(),
    types.Tag(name="sdk-tag", description="first"),
    types.Tag(description="second"),
)
life(
    "MAC pools",
    system.mac_pools_service(),
    types.MacPool(name="sdk-pool", ranges=[types.Range(from_="02:00:00:00:01:00", to="02:00:00:00:01:ff")]),
    types.MacPool(description="changed"),
)
life(
    "roles",
    system.roles_service(),
    types.Role(name="sdk-role", administrative=False, permits=[types.Permit(id="1")]),
    types.Role(description="changed"),
)


@step("permits of a role")
def _():
    roles = system.roles_service()
    role = roles.add(types.Role(name="sdk-permits", administrative=False, permits=[types.Permit(id="1")]))
    permits = roles.role_service(role.id).permits_service()
    permit = next(one for one in system.cluster_levels_service().level_service("4.7").get().permits if one.name == "run_vm")
    permits.add(types.Permit(id=permit.id))
    assert "run_vm" in [one.name for one in permits.list()]
    permits.permit_service(permit.id).remove()
    roles.role_service(role.id).remove()


life(
    "scheduling policies",
    system.scheduling_policies_service(),
    types.SchedulingPolicy(name="sdk-policy"),
    types.SchedulingPolicy(description="changed"),
)
life(
    "data centers",
    system.data_centers_service(),
    types.DataCenter(name="sdk-dc", local=False, version=types.Version(major=4, minor=7)),
    types.DataCenter(description="changed"),
    keep=True,
)
data_center = made["data centers"]

life(
    "quotas",
    data_center.quotas_service(),
    types.Quota(name="sdk-quota", description="first"),
    types.Quota(description="changed"),
)
life(
    "QoS of storage",
    data_center.qoss_service(),
    types.Qos(name="sdk-qos", type=types.QosType.STORAGE, max_iops=100),
    types.Qos(description="changed"),
    keep=True,
)
life(
    "QoS of CPUs",
    data_center.qoss_service(),
    types.Qos(name="sdk-cpu-qos", type=types.QosType.CPU, cpu_limit=50),
    types.Qos(description="changed"),
)
life(
    "clusters",
    system.clusters_service(),
    types.Cluster(
        name="sdk-cluster",
        cpu=types.Cpu(architecture=types.Architecture.X86_64, type="Intel Nehalem Family"),
        data_center=types.DataCenter(name="sdk-dc"),
    ),
    types.Cluster(description="changed"),
    keep=True,
)
cluster = made["clusters"]
life(
    "CPU profiles",
    system.cpu_profiles_service(),
    types.CpuProfile(name="sdk-cpu", cluster=types.Cluster(id=cluster.get().id)),
    types.CpuProfile(description="changed"),
)
life(
    "networks",
    system.networks_service(),
    types.Network(
        name="sdk-net",
        data_center=types.DataCenter(name="sdk-dc"),
        vlan=types.Vlan(id=17),
        usages=[types.NetworkUsage.VM],
        mtu=1400,
    ),
    types.Network(description="changed"),
    keep=True,
)
network = made["networks"]


@step("networks of a cluster")
def _():
    networks = cluster.networks_service()
    networks.add(types.Network(id=network.get().id, required=False))
    one = networks.network_service(network.get().id)
    one.update(types.Network(required=True))
    assert one.get().required
    one.remove()


@step("labels of a network")
def _():
    labels = network.network_labels_service()
    labels.add(types.NetworkLabel(id="red"))
    assert [label.id for label in labels.list()] == ["red"]
    labels.label_service("red").remove()
    assert labels.list() == []


life(
    "vNIC profiles",
    system.vnic_profiles_service(),
    types.VnicProfile(name="sdk-vnic", network=types.Network(id=network.get().id)),
    types.VnicProfile(description="changed"),
)
life(
    "affinity groups",
    cluster.affinity_groups_service(),
    types.AffinityGroup(name="sdk-group", vms_rule=types.AffinityRule(enabled=True, positive=True, enforcing=False)),
    types.AffinityGroup(description="changed"),
)
life(
    "affinity labels",
    system.affinity_labels_service(),
    types.AffinityLabel(name="sdk-label"),
    types.AffinityLabel(name="sdk-label-2"),
)
life(
    "groups",
    system.groups_service(),
    types.Group(name="admins", domain=types.Domain(name="internal-authz")),
)
life(
    "users",
    system.users_service(),
    types.User(user_name="kim@internal-authz", domain=types.Domain(name="internal-authz")),
    keep=True,
)


@step("permissions of a user")
def _():
    vm = first(system.vms_service())
    permissions = system.vms_service().vm_service(vm.id).permissions_service()
    added = permissions.add(types.Permission(role=types.Role(name="UserRole"), user=types.User(id=made["users"].get().id)))
    assert added.id in [one.id for one in permissions.list()]
    permissions.permission_service(added.id).remove()


@step("SSH keys of a user")
def _():
    keys = made["users"].ssh_public_keys_service()
    key = keys.add(types.SshPublicKey(content="ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHq8PNVHkTT3oyMzoQO4mm6IH0pCOpHDjLBYyPhk9Q1T a@b"))
    assert key.id in [one.id for one in keys.list()]
    keys.key_service(key.id).remove()


@step("event subscriptions of a user")
def _():
    subscriptions = made["users"].event_subscriptions_service()
    subscriptions.add(types.EventSubscription(event=types.NotifiableEvent.HOST_HIGH_CPU_USE, address="a@example.com"))
    assert len(subscriptions.list()) == 1
    subscriptions.event_subscription_service("host_high_cpu_use").remove()
    assert subscriptions.list() == []


@step("remove a user")
def _():
    made["users"].remove()
    gone(made["users"])


@step("events: add and remove")
def _():
    events = system.events_service()
    event = events.add(types.Event(
        description="from the SDK", custom_id=4711, origin="sdk", severity=types.LogSeverity.WARNING))
    assert events.event_service(event.id).get().custom_id == 4711
    events.event_service(event.id).remove()


@step("jobs and steps")
def _():
    jobs = system.jobs_service()
    job = jobs.add(types.Job(description="of the SDK"))
    one = jobs.job_service(job.id)
    added = one.steps_service().add(types.Step(description="a step", type=types.StepEnum.EXECUTING))
    one.steps_service().step_service(added.id).end(succeeded=True)
    one.end(succeeded=True)
    assert one.get().status == types.JobStatus.FINISHED


life(
    "storage connections",
    system.storage_connections_service(),
    types.StorageConnection(type=types.StorageType.NFS, address="nfs.example.com", path="/sdk-connection"),
    types.StorageConnection(path="/sdk-connection-2"),
)

domains = system.storage_domains_service()


@step("storage domains")
def _():
    host = next(one for one in system.hosts_service().list() if one.status == types.HostStatus.UP)
    domain = domains.add(types.StorageDomain(
        name="sdk-domain",
        type=types.StorageDomainType.DATA,
        host=types.Host(name=host.name),
        storage=types.HostStorage(type=types.StorageType.NFS, address="nfs.example.com", path="/sdk-domain"),
    ))
    one = domains.storage_domain_service(domain.id)
    one.update(types.StorageDomain(description="changed"))
    assert one.get().description == "changed"
    center = system.data_centers_service().list(search="name=Default")[0]
    attached = system.data_centers_service().data_center_service(center.id).storage_domains_service()
    attached.add(types.StorageDomain(id=domain.id))
    below = attached.storage_domain_service(domain.id)
    wait_for(below, types.StorageDomainStatus.ACTIVE)
    below.deactivate()
    wait_for(below, types.StorageDomainStatus.MAINTENANCE)
    below.activate()
    wait_for(below, types.StorageDomainStatus.ACTIVE)
    below.deactivate()
    wait_for(below, types.StorageDomainStatus.MAINTENANCE)
    below.remove()
    wait_for(one, types.StorageDomainStatus.UNATTACHED)
    one.remove(destroy=False, format=True, host=host.name)
    gone(one)


data = next(one for one in domains.list() if one.type == types.StorageDomainType.DATA and one.storage.type != types.StorageType.GLANCE)
life(
    "disk profiles",
    system.disk_profiles_service(),
    types.DiskProfile(name="sdk-disk-profile", storage_domain=types.StorageDomain(id=data.id)),
    types.DiskProfile(description="changed"),
)

disks = system.disks_service()


def new_disk(name, size=GIB, format_=types.DiskFormat.COW):
    disk = disks.add(types.Disk(
        name=name,
        format=format_,
        provisioned_size=size,
        sparse=format_ == types.DiskFormat.COW,
        storage_domains=[types.StorageDomain(id=data.id)],
    ))
    one = disks.disk_service(disk.id)
    wait_for(one, types.DiskStatus.OK)
    return one


@step("disks")
def _():
    one = new_disk("sdk-disk")
    assert [disk.id for disk in disks.list(search="name=sdk-disk")] == [one.get().id]
    one.update(types.Disk(description="changed"))
    wait_for(one, types.DiskStatus.OK)
    assert one.get().description == "changed"
    one.copy(disk=types.Disk(name="sdk-disk-copy"), storage_domain=types.StorageDomain(id=data.id))
    wait_until(lambda: disks.list(search="name=sdk-disk-copy"), "copy")
    copy = disks.disk_service(disks.list(search="name=sdk-disk-copy")[0].id)
    wait_for(copy, types.DiskStatus.OK)
    copy.remove()
    gone(copy)
    one.remove()
    gone(one)


vms = system.vms_service()


@step("VMs")
def _():
    vm = vms.add(types.Vm(
        name="sdk-vm",
        cluster=types.Cluster(name="Default"),
        template=types.Template(name="Blank"),
        memory=512 * MIB,
        cpu=types.Cpu(topology=types.CpuTopology(sockets=1, cores=2, threads=1)),
        os=types.OperatingSystem(type="rhel_8x64", boot=types.Boot(devices=[types.BootDevice.HD])),
    ))
    one = vms.vm_service(vm.id)
    wait_for(one, types.VmStatus.DOWN)
    one.update(types.Vm(description="changed", memory=1024 * MIB))
    assert one.get().description == "changed" and one.get().memory == 1024 * MIB
    assert [each.id for each in vms.list(search="name=sdk-vm")] == [vm.id]
    return one


vm = made.get("VMs")
profile = first(system.vnic_profiles_service())


@step("NICs")
def _():
    nics = vm.nics_service()
    nic = nics.add(types.Nic(name="nic1", interface=types.NicInterface.VIRTIO, vnic_profile=types.VnicProfile(id=profile.id)))
    nics.nic_service(nic.id).update(types.Nic(linked=False))
    assert nics.nic_service(nic.id).get().linked is False
    assert connection.follow_link(nics.list()[0]).id == nic.id


@step("disk attachments")
def _():
    attachments = vm.disk_attachments_service()
    attachment = attachments.add(types.DiskAttachment(
        disk=types.Disk(name="sdk-vm-disk", format=types.DiskFormat.COW, provisioned_size=GIB,
                        storage_domains=[types.StorageDomain(id=data.id)]),
        interface=types.DiskInterface.VIRTIO_SCSI,
        bootable=True,
        active=True,
    ))
    wait_for(disks.disk_service(attachment.id), types.DiskStatus.OK)
    one = attachments.attachment_service(attachment.id)
    one.update(types.DiskAttachment(read_only=False))
    extra = new_disk("sdk-second")
    second = attachments.add(types.DiskAttachment(
        disk=types.Disk(id=extra.get().id), interface=types.DiskInterface.VIRTIO, bootable=False, active=True))
    attachments.attachment_service(second.id).remove(detach_only=True)
    extra.remove()
    gone(extra)
    return one


@step("CD-ROMs")
def _():
    cdrom = first(vm.cdroms_service())
    iso = next(one for one in domains.list() if one.type == types.StorageDomainType.ISO)
    file = first(domains.storage_domain_service(iso.id).files_service())
    one = vm.cdroms_service().cdrom_service(cdrom.id)
    one.update(types.Cdrom(file=types.File(id=file.id)))
    assert one.get().file.id == file.id
    one.update(types.Cdrom(file=types.File(id="")))


@step("watchdogs")
def _():
    watchdogs = vm.watchdogs_service()
    added = watchdogs.add(types.Watchdog(action=types.WatchdogAction.RESET, model=types.WatchdogModel.I6300ESB))
    watchdogs.watchdog_service(added.id).update(types.Watchdog(action=types.WatchdogAction.PAUSE))
    watchdogs.watchdog_service(added.id).remove()


@step("tags of a VM")
def _():
    tags = system.tags_service()
    tag = tags.add(types.Tag(name="sdk-vm-tag"))
    vm.tags_service().add(types.Tag(name="sdk-vm-tag"))
    assert [one.name for one in vm.tags_service().list()] == ["sdk-vm-tag"]
    vm.tags_service().tag_service(tag.id).remove()
    tags.tag_service(tag.id).remove()


@step("start, console, statistics, suspend, reboot and stop a VM")
def _():
    vm.start()
    wait_for(vm, types.VmStatus.UP)
    consoles = vm.graphics_consoles_service().list(current=True)
    assert consoles and consoles[0].port
    assert vm.ticket(ticket=types.Ticket(expiry=60)).value
    assert len(vm.statistics_service().list()) > 0
    assert vm.get(follow="nics,disk_attachments.disk").disk_attachments[0].disk.name == "sdk-vm-disk"
    vm.suspend()
    wait_for(vm, types.VmStatus.SUSPENDED)
    vm.start()
    wait_for(vm, types.VmStatus.UP)
    vm.reboot()
    wait_for(vm, types.VmStatus.UP)
    vm.shutdown()
    wait_for(vm, types.VmStatus.DOWN)
    vm.start(use_cloud_init=True, vm=types.Vm(initialization=types.Initialization(
        user_name="root", root_password="secret", host_name="sdk-vm")))
    wait_for(vm, types.VmStatus.UP)
    vm.stop()
    wait_for(vm, types.VmStatus.DOWN)


@step("snapshots")
def _():
    snapshots = vm.snapshots_service()
    snapshot = snapshots.add(types.Snapshot(description="of the SDK", persist_memorystate=False))
    one = snapshots.snapshot_service(snapshot.id)
    wait_until(lambda: one.get().snapshot_status == types.SnapshotStatus.OK, "snapshot")
    assert len(one.disks_service().list()) == 1
    snapshots_of_disk = domains.storage_domain_service(data.id).disk_snapshots_service().list()
    assert snapshots_of_disk
    vm.preview_snapshot(snapshot=types.Snapshot(id=snapshot.id))
    wait_until(lambda: one.get().snapshot_status == types.SnapshotStatus.IN_PREVIEW, "preview")
    wait_for(vm, types.VmStatus.DOWN)
    vm.undo_snapshot()
    wait_until(lambda: one.get().snapshot_status == types.SnapshotStatus.OK, "undo")
    wait_for(vm, types.VmStatus.DOWN)
    one.restore()
    wait_until(lambda: one.get().snapshot_status == types.SnapshotStatus.OK, "restore")
    wait_for(vm, types.VmStatus.DOWN)
    one.remove()
    gone(one)


@step("templates")
def _():
    templates = system.templates_service()
    template = templates.add(types.Template(name="sdk-template", vm=types.Vm(id=vm.get().id)))
    one = templates.template_service(template.id)
    wait_for(one, types.TemplateStatus.OK)
    one.update(types.Template(description="changed"))
    assert one.get().description == "changed"
    copy = vms.add(types.Vm(name="sdk-thin", cluster=types.Cluster(name="Default"), template=types.Template(name="sdk-template")))
    thin = vms.vm_service(copy.id)
    wait_for(thin, types.VmStatus.DOWN)
    thin.remove()
    gone(thin)
    return one


@step("clone a VM")
def _():
    vm.clone(vm=types.Vm(name="sdk-clone"))
    wait_until(lambda: vms.list(search="name=sdk-clone"), "clone")
    clone = vms.vm_service(vms.list(search="name=sdk-clone")[0].id)
    wait_for(clone, types.VmStatus.DOWN)
    clone.remove()
    gone(clone)


@step("VM pools")
def _():
    pools = system.vm_pools_service()
    pool = pools.add(types.VmPool(
        name="sdk-pool", cluster=types.Cluster(name="Default"), template=types.Template(name="sdk-template"), size=2))
    one = pools.pool_service(pool.id)
    wait_until(lambda: len(vms.list(search="pool=sdk-pool")) == 2, "VMs of the pool")
    one.update(types.VmPool(description="changed", prestarted_vms=0))
    for member in vms.list(search="pool=sdk-pool"):
        wait_for(vms.vm_service(member.id), types.VmStatus.DOWN)
    one.remove()
    gone(one)


@step("remove a template")
def _():
    made["templates"].remove()
    gone(made["templates"])


@step("affinity group and label of a VM")
def _():
    owner = system.clusters_service().list(search="name=Default")[0]
    groups = system.clusters_service().cluster_service(owner.id).affinity_groups_service()
    group = groups.add(types.AffinityGroup(name="sdk-vm-group", vms_rule=types.AffinityRule(enabled=True, positive=False, enforcing=True)))
    members = groups.group_service(group.id).vms_service()
    members.add(types.Vm(id=vm.get().id))
    assert [one.id for one in members.list()] == [vm.get().id]
    members.vm_service(vm.get().id).remove()
    groups.group_service(group.id).remove()
    labels = system.affinity_labels_service()
    label = labels.add(types.AffinityLabel(name="sdk-vm-label"))
    labels.label_service(label.id).vms_service().add(types.Vm(id=vm.get().id))
    assert [one.name for one in vm.affinity_labels_service().list()] == ["sdk-vm-label"]
    labels.label_service(label.id).vms_service().vm_service(vm.get().id).remove()
    labels.label_service(label.id).remove()


@step("hosts")
def _():
    hosts = system.hosts_service()
    host = next(one for one in hosts.list(search="status=up sortby name desc"))
    one = hosts.host_service(host.id)
    assert one.nics_service().list() and one.statistics_service().list()
    one.update(types.Host(comment="changed"))
    assert one.get().comment == "changed"
    one.deactivate()
    wait_for(one, types.HostStatus.MAINTENANCE)
    one.activate()
    wait_for(one, types.HostStatus.UP)
    added = hosts.add(types.Host(name="sdk-host", address="sdk-host.example.com", root_password="secret", cluster=types.Cluster(name="Default")))
    new = hosts.host_service(added.id)
    wait_for(new, types.HostStatus.UP)
    new.deactivate()
    wait_for(new, types.HostStatus.MAINTENANCE)
    new.remove()
    gone(new)


@step("faults: unknown, duplicate, in use")
def _():
    try:
        vms.vm_service("00000000-0000-0000-0000-00000000dead").get()
        raise AssertionError("an unknown VM is answered")
    except sdk.NotFoundError:
        pass
    try:
        vms.add(types.Vm(name="sdk-vm", cluster=types.Cluster(name="Default"), template=types.Template(name="Blank")))
        raise AssertionError("a second VM of the name is made")
    except sdk.Error as error:
        assert error.code == 409, error.code
        assert error.fault.reason and error.fault.detail


def transfer(direction, disk):
    """Starts an image transfer, and returns its service."""
    transfers = system.image_transfers_service()
    started = transfers.add(types.ImageTransfer(disk=types.Disk(id=disk.get().id), direction=direction, format=types.DiskFormat.RAW))
    one = transfers.image_transfer_service(started.id)
    wait_until(lambda: one.get().phase == types.ImageTransferPhase.TRANSFERRING, "transfer")
    return one


@step("upload and download with ovirt-imageio")
def _():
    size = 8 * MIB
    disk = new_disk("sdk-image", size, types.DiskFormat.RAW)
    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, "source"), os.path.join(folder, "target")
        with open(source, "wb") as file:
            for part in range(6):
                file.write(hashlib.sha256(bytes([part])).digest() * (MIB // 32))
            file.truncate(size)
        up = transfer(types.ImageTransferDirection.UPLOAD, disk)
        imageio.upload(source, up.get().transfer_url, os.environ["VMCTL_CA_FILE"], buffer_size=MIB)
        up.finalize()
        wait_for(disk, types.DiskStatus.OK)
        down = transfer(types.ImageTransferDirection.DOWNLOAD, disk)
        url = down.get().transfer_url
        imageio.download(url, target, os.environ["VMCTL_CA_FILE"], fmt="raw")
        with imageio.ImageioClient(url, cafile=os.environ["VMCTL_CA_FILE"]) as image:
            assert image.size() == size
            assert any(extent.zero for extent in image.extents())
            part = bytearray(MIB)
            image.read(0, part)
            with open(source, "rb") as file:
                assert part == file.read(MIB), "the bytes that were read differ"
        down.finalize()
        with open(source, "rb") as one, open(target, "rb") as other:
            assert one.read() == other.read(), "the bytes differ"
    wait_for(disk, types.DiskStatus.OK)
    disk.remove()
    gone(disk)


@step("remove a VM, a cluster, a network and a data center")
def _():
    vm.remove()
    gone(vm)
    cluster.remove()
    gone(cluster)
    network.remove()
    gone(network)
    data_center.remove()
    gone(data_center)


connection.close()
