import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.math.BigInteger;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.ovirt.engine.sdk4.Connection;
import org.ovirt.engine.sdk4.ConnectionBuilder;
import org.ovirt.engine.sdk4.Error;
import org.ovirt.engine.sdk4.builders.Builders;
import org.ovirt.engine.sdk4.services.*;
import org.ovirt.engine.sdk4.types.*;

/**
 * A session of the Java SDK: creates, reads, lists, changes and removes objects of each kind that it knows.
 *
 * <p>Environment: VMCTL_URL, VMCTL_CA_FILE, VMCTL_USERNAME, VMCTL_PASSWORD of a server with the inventory
 * "small". Prints one JSON object per step: {"step": NAME, "error": TEXT or null}.
 */
public final class Session {
  private static final long MIB = 1L << 20;
  private static final long GIB = 1L << 30;

  private static Connection connection;
  private static SystemService system;
  private static KeyStore trusted;

  private interface Step {
    void run() throws Exception;
  }

  private static String quoted(String text) {
    if (text == null) return "null";
    StringBuilder out = new StringBuilder("\"");
    for (char c : text.toCharArray()) {
      if (c == '"' || c == '\\') out.append('\\').append(c);
      else if (c < ' ') out.append(String.format("\\u%04x", (int) c));
      else out.append(c);
    }
    return out.append('"').toString();
  }

  /** Runs a step and prints how it ended. */
  private static void step(String name, Step step) {
    String error = null;
    try {
      step.run();
    } catch (Exception | AssertionError problem) {
      error = problem.getClass().getSimpleName() + ": " + problem.getMessage();
    }
    System.out.println("{\"step\": " + quoted(name) + ", \"error\": " + quoted(error) + "}");
  }

  private static void check(boolean condition, String text) {
    if (!condition) throw new AssertionError(text);
  }

  /** Polls until the condition is true. */
  private static void poll(String what, BooleanSupplier condition) throws InterruptedException {
    for (long end = System.nanoTime() + 60_000_000_000L; System.nanoTime() < end; Thread.sleep(50)) {
      if (condition.getAsBoolean()) return;
    }
    throw new AssertionError(what + ": not within 60 seconds");
  }

  private static void gone(Runnable read) throws InterruptedException {
    poll("removal", () -> {
      try {
        read.run();
        return false;
      } catch (Error refused) {
        // The SDK has no class for an unknown object; its message has the status.
        if (!refused.getMessage().contains("404")) throw refused;
        return true;
      }
    });
  }

  private static void vmIs(VmService vm, VmStatus status) throws InterruptedException {
    poll("VM " + status, () -> vm.get().send().vm().status() == status);
  }

  private static void diskIs(DiskService disk, DiskStatus status) throws InterruptedException {
    poll("disk " + status, () -> disk.get().send().disk().status() == status);
  }

  private static StorageDomain dataDomain() {
    return system.storageDomainsService().list().send().storageDomains().stream()
        .filter(one -> one.type() == StorageDomainType.DATA).findFirst().orElseThrow();
  }

  private static DiskService newDisk(String name, long size, DiskFormat format) throws InterruptedException {
    Disk disk = system.disksService().add().disk(Builders.disk().name(name).format(format)
        .provisionedSize(BigInteger.valueOf(size)).sparse(format == DiskFormat.COW)
        .storageDomains(Builders.storageDomain().id(dataDomain().id()))).send().disk();
    DiskService one = system.disksService().diskService(disk.id());
    diskIs(one, DiskStatus.OK);
    return one;
  }

  private static void lists() {
    system.hostsService().list().send().hosts().forEach(host ->
        system.hostsService().hostService(host.id()).nicsService().list().send().nics());
    system.eventsService().list().max(10).send().events();
    system.rolesService().list().send().roles();
    system.usersService().list().send().users();
    system.vnicProfilesService().list().send().profiles();
    system.templatesService().list().send().templates();
    system.jobsService().list().send().jobs();
    system.operatingSystemsService().list().send().operatingSystem();
    system.schedulingPoliciesService().list().send().policies();
  }

  private static void tags() throws Exception {
    TagsService tags = system.tagsService();
    Tag added = tags.add().tag(Builders.tag().name("java")).send().tag();
    TagService one = tags.tagService(added.id());
    one.update().tag(Builders.tag().description("changed")).send();
    check("changed".equals(one.get().send().tag().description()), "the description was not changed");
    one.remove().send();
    gone(() -> one.get().send());
  }

  private static void macPools() throws Exception {
    MacPoolsService pools = system.macPoolsService();
    MacPool added = pools.add().pool(Builders.macPool().name("java")
        .ranges(Builders.range().from("02:00:00:00:03:00").to("02:00:00:00:03:ff"))).send().pool();
    MacPoolService one = pools.macPoolService(added.id());
    one.update().pool(Builders.macPool().description("changed")).send();
    check("changed".equals(one.get().send().pool().description()), "the description was not changed");
    one.remove().send();
    gone(() -> one.get().send());
  }

  private static void centers() throws Exception {
    DataCenter center = system.dataCentersService().add()
        .dataCenter(Builders.dataCenter().name("java").local(false)).send().dataCenter();
    DataCenterService oneCenter = system.dataCentersService().dataCenterService(center.id());
    Cluster cluster = system.clustersService().add().cluster(Builders.cluster().name("java")
        .cpu(Builders.cpu().architecture(Architecture.X86_64).type("Intel Nehalem Family"))
        .dataCenter(Builders.dataCenter().name("java"))).send().cluster();
    ClusterService oneCluster = system.clustersService().clusterService(cluster.id());
    oneCluster.update().cluster(Builders.cluster().description("changed")).send();
    check("changed".equals(oneCluster.get().send().cluster().description()), "the description was not changed");
    Network network = system.networksService().add().network(Builders.network().name("java")
        .dataCenter(Builders.dataCenter().name("java")).vlan(Builders.vlan().id(19))).send().network();
    NetworkService oneNetwork = system.networksService().networkService(network.id());
    check(oneNetwork.get().send().network().vlan().id().intValue() == 19, "the VLAN is another");
    oneNetwork.remove().send();
    oneCluster.remove().send();
    gone(() -> oneCluster.get().send());
    oneCenter.remove().send();
    gone(() -> oneCenter.get().send());
  }

  private static void vms() throws Exception {
    VmsService vms = system.vmsService();
    Vm vm = vms.add().vm(Builders.vm().name("java-vm").cluster(Builders.cluster().name("Default"))
        .template(Builders.template().name("Blank")).memory(BigInteger.valueOf(512 * MIB))).send().vm();
    VmService one = vms.vmService(vm.id());
    vmIs(one, VmStatus.DOWN);
    one.update().vm(Builders.vm().description("changed").memory(BigInteger.valueOf(GIB))).send();
    check(one.get().send().vm().memory().longValue() == GIB, "the memory was not changed");
    VnicProfile profile = system.vnicProfilesService().list().send().profiles().get(0);
    one.nicsService().add().nic(Builders.nic().name("nic1").interface_(NicInterface.VIRTIO)
        .vnicProfile(Builders.vnicProfile().id(profile.id()))).send();
    DiskService disk = newDisk("java-vm-disk", GIB, DiskFormat.COW);
    one.diskAttachmentsService().add().attachment(Builders.diskAttachment()
        .disk(Builders.disk().id(disk.get().send().disk().id())).interface_(DiskInterface.VIRTIO_SCSI)
        .bootable(true).active(true)).send();
    check(vms.list().search("name=java-vm").send().vms().size() == 1, "the search finds another number");
    one.start().send();
    vmIs(one, VmStatus.UP);
    one.suspend().send();
    vmIs(one, VmStatus.SUSPENDED);
    one.start().send();
    vmIs(one, VmStatus.UP);
    one.stop().send();
    vmIs(one, VmStatus.DOWN);
    SnapshotsService snapshots = one.snapshotsService();
    Snapshot snapshot = snapshots.add()
        .snapshot(Builders.snapshot().description("java").persistMemorystate(false)).send().snapshot();
    SnapshotService oneSnapshot = snapshots.snapshotService(snapshot.id());
    poll("snapshot", () -> oneSnapshot.get().send().snapshot().snapshotStatus() == SnapshotStatus.OK);
    vmIs(one, VmStatus.DOWN);
    oneSnapshot.remove().send();
    gone(() -> oneSnapshot.get().send());
    Template template = system.templatesService().add()
        .template(Builders.template().name("java-template").vm(Builders.vm().id(vm.id()))).send().template();
    TemplateService oneTemplate = system.templatesService().templateService(template.id());
    poll("template", () -> oneTemplate.get().send().template().status() == TemplateStatus.OK);
    oneTemplate.remove().send();
    gone(() -> oneTemplate.get().send());
    vmIs(one, VmStatus.DOWN);
    one.remove().send();
    gone(() -> one.get().send());
  }

  private static byte[] transfer(DiskService disk, ImageTransferDirection direction, byte[] content) throws Exception {
    ImageTransfer started = system.imageTransfersService().add().imageTransfer(Builders.imageTransfer()
        .image(Builders.image().id(disk.get().send().disk().id())).direction(direction)).send().imageTransfer();
    ImageTransferService one = system.imageTransfersService().imageTransferService(started.id());
    poll("transfer", () -> one.get().send().imageTransfer().phase() == ImageTransferPhase.TRANSFERRING);
    TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, managers.getTrustManagers(), null);
    URL url = new URL(one.get().send().imageTransfer().transferUrl());
    HttpsURLConnection http = (HttpsURLConnection) url.openConnection();
    http.setSSLSocketFactory(context.getSocketFactory());
    if (content != null) {
      http.setDoOutput(true);
      http.setRequestMethod("PUT");
      http.setFixedLengthStreamingMode(content.length);
      try (OutputStream out = http.getOutputStream()) {
        out.write(content);
      }
    }
    check(http.getResponseCode() < 300, "the daemon answers " + http.getResponseCode());
    byte[] received = http.getInputStream().readAllBytes();
    one.finalize_().send();
    diskIs(disk, DiskStatus.OK);
    return received;
  }

  private static void images() throws Exception {
    byte[] content = new byte[(int) (4 * MIB)];
    for (int at = 0; at < content.length; at += 1) content[at] = (byte) (at * 31 + at / 4096);
    DiskService disk = newDisk("java-image", content.length, DiskFormat.RAW);
    transfer(disk, ImageTransferDirection.UPLOAD, content);
    check(Arrays.equals(transfer(disk, ImageTransferDirection.DOWNLOAD, null), content), "the bytes differ");
    disk.remove().send();
    gone(() -> disk.get().send());
  }

  private static void faults() {
    try {
      system.vmsService().vmService("00000000-0000-0000-0000-00000000dead").get().send();
      throw new AssertionError("an unknown VM is answered");
    } catch (Error expected) {
      check(expected.getMessage().contains("404"), expected.getMessage());
    }
    try {
      system.tagsService().add().tag(Builders.tag().name("root")).send();
      throw new AssertionError("a second tag of the name is made");
    } catch (Error expected) {
      check(expected.getMessage().contains("409"), expected.getMessage());
    }
  }

  public static void main(String[] words) throws Exception {
    trusted = KeyStore.getInstance(KeyStore.getDefaultType());
    trusted.load(null, null);
    try (InputStream file = new FileInputStream(System.getenv("VMCTL_CA_FILE"))) {
      trusted.setCertificateEntry("service", CertificateFactory.getInstance("X.509").generateCertificate(file));
    }
    Path store = Files.createTempFile("trust", ".p12");
    try (OutputStream out = new FileOutputStream(store.toFile())) {
      trusted.store(out, "changeit".toCharArray());
    }
    connection = ConnectionBuilder.connection()
        .url(System.getenv("VMCTL_URL"))
        .user(System.getenv("VMCTL_USERNAME"))
        .password(System.getenv("VMCTL_PASSWORD"))
        .trustStoreFile(store.toString())
        .trustStorePassword("changeit")
        .build();
    system = connection.systemService();
    step("connection: test", () -> connection.validate());
    step("lists", Session::lists);
    step("tags", Session::tags);
    step("MAC pools", Session::macPools);
    step("data centers, clusters and networks", Session::centers);
    step("VMs, disks, NICs, snapshots and templates", Session::vms);
    step("upload and download", Session::images);
    step("faults", Session::faults);
    connection.close();
    Files.delete(store);
  }
}
