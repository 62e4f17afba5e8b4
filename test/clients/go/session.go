// Command session runs go-ovirt and go-ovirt-client: it creates, reads, lists, changes and removes objects of each kind that it knows.
//
// Environment: VMCTL_URL, VMCTL_CA_FILE, VMCTL_USERNAME, VMCTL_PASSWORD of a server with the inventory "small".
// It prints one JSON object per step: {"step": NAME, "error": TEXT or null}.
package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	ovirt "github.com/ovirt/go-ovirt"
	ovirtlog "github.com/ovirt/go-ovirt-client-log/v3"
	ovirtclient "github.com/ovirt/go-ovirt-client/v3"
)

const (
	mib = int64(1) << 20
	gib = int64(1) << 30
)

var connection *ovirt.Connection

func system() *ovirt.SystemService { return connection.SystemService() }

// step runs a function and prints how it ended. A panic of a Must function counts as an error.
func step(name string, run func() error) {
	err := func() (err error) {
		defer func() {
			if problem := recover(); problem != nil {
				err = fmt.Errorf("%v", problem)
			}
		}()
		return run()
	}()
	result := map[string]any{"step": name, "error": nil}
	if err != nil {
		result["error"] = err.Error()
	}
	line, _ := json.Marshal(result)
	fmt.Println(string(line))
}

// poll waits until a condition is true.
func poll(what string, condition func() (bool, error)) error {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		done, err := condition()
		if err != nil || done {
			return err
		}
	}
	return fmt.Errorf("%s: not within a minute", what)
}

// gone waits until a read answers that the object is unknown.
func gone(read func() error) error {
	return poll("removal", func() (bool, error) {
		err := read()
		var unknown *ovirt.NotFoundError
		if errors.As(err, &unknown) {
			return true, nil
		}
		return false, err
	})
}

func expect(condition bool, text string, values ...any) error {
	if condition {
		return nil
	}
	return fmt.Errorf(text, values...)
}

func diskStatus(id string, status ovirt.DiskStatus) error {
	return poll("disk "+string(status), func() (bool, error) {
		answer, err := system().DisksService().DiskService(id).Get().Send()
		if err != nil {
			return false, err
		}
		return answer.MustDisk().MustStatus() == status, nil
	})
}

func vmStatus(id string, status ovirt.VmStatus) error {
	return poll("VM "+string(status), func() (bool, error) {
		answer, err := system().VmsService().VmService(id).Get().Send()
		if err != nil {
			return false, err
		}
		return answer.MustVm().MustStatus() == status, nil
	})
}

func dataDomain() *ovirt.StorageDomain {
	for _, domain := range system().StorageDomainsService().List().MustSend().MustStorageDomains().Slice() {
		if domain.MustType() == ovirt.STORAGEDOMAINTYPE_DATA {
			return domain
		}
	}
	panic("there is no data domain")
}

func newDisk(name string, size int64, format ovirt.DiskFormat) string {
	disk := system().DisksService().Add().Disk(ovirt.NewDiskBuilder().
		Name(name).Format(format).ProvisionedSize(size).Sparse(format == ovirt.DISKFORMAT_COW).
		StorageDomainsOfAny(ovirt.NewStorageDomainBuilder().Id(dataDomain().MustId()).MustBuild()).
		MustBuild()).MustSend().MustDisk()
	if err := diskStatus(disk.MustId(), ovirt.DISKSTATUS_OK); err != nil {
		panic(err)
	}
	return disk.MustId()
}

func bookmarks() error {
	service := system().BookmarksService()
	added := service.Add().Bookmark(ovirt.NewBookmarkBuilder().Name("go").Value("Vms: name=a*").MustBuild()).MustSend().MustBookmark()
	one := service.BookmarkService(added.MustId())
	one.Update().Bookmark(ovirt.NewBookmarkBuilder().Value("Vms: name=b*").MustBuild()).MustSend()
	read := one.Get().MustSend().MustBookmark()
	if err := expect(read.MustValue() == "Vms: name=b*", "value is %s", read.MustValue()); err != nil {
		return err
	}
	one.Remove().MustSend()
	return gone(func() error { _, err := one.Get().Send(); return err })
}

func tags() error {
	service := system().TagsService()
	added := service.Add().Tag(ovirt.NewTagBuilder().Name("go").MustBuild()).MustSend().MustTag()
	one := service.TagService(added.MustId())
	one.Update().Tag(ovirt.NewTagBuilder().Description("changed").MustBuild()).MustSend()
	read := one.Get().MustSend().MustTag()
	if err := expect(read.MustDescription() == "changed", "the description was not changed"); err != nil {
		return err
	}
	one.Remove().MustSend()
	return gone(func() error { _, err := one.Get().Send(); return err })
}

func macPools() error {
	service := system().MacPoolsService()
	added := service.Add().Pool(ovirt.NewMacPoolBuilder().Name("go").
		RangesOfAny(ovirt.NewRangeBuilder().From("02:00:00:00:02:00").To("02:00:00:00:02:ff").MustBuild()).MustBuild()).MustSend().MustPool()
	one := service.MacPoolService(added.MustId())
	one.Update().Pool(ovirt.NewMacPoolBuilder().Description("changed").MustBuild()).MustSend()
	one.Remove().MustSend()
	return gone(func() error { _, err := one.Get().Send(); return err })
}

// centers creates a data center with a cluster and a network, changes each and removes them.
func centers() error {
	centers, clusters, networks := system().DataCentersService(), system().ClustersService(), system().NetworksService()
	center := centers.Add().DataCenter(ovirt.NewDataCenterBuilder().Name("go").Local(false).MustBuild()).MustSend().MustDataCenter()
	oneCenter := centers.DataCenterService(center.MustId())
	oneCenter.Update().DataCenter(ovirt.NewDataCenterBuilder().Description("changed").MustBuild()).MustSend()
	cluster := clusters.Add().Cluster(ovirt.NewClusterBuilder().Name("go").
		Cpu(ovirt.NewCpuBuilder().Architecture(ovirt.ARCHITECTURE_X86_64).Type("Intel Nehalem Family").MustBuild()).
		DataCenter(ovirt.NewDataCenterBuilder().Name("go").MustBuild()).MustBuild()).MustSend().MustCluster()
	oneCluster := clusters.ClusterService(cluster.MustId())
	oneCluster.Update().Cluster(ovirt.NewClusterBuilder().Description("changed").MustBuild()).MustSend()
	network := networks.Add().Network(ovirt.NewNetworkBuilder().Name("go").
		DataCenter(ovirt.NewDataCenterBuilder().Name("go").MustBuild()).
		Vlan(ovirt.NewVlanBuilder().Id(18).MustBuild()).MustBuild()).MustSend().MustNetwork()
	oneNetwork := networks.NetworkService(network.MustId())
	read := oneNetwork.Get().MustSend().MustNetwork()
	if err := expect(read.MustVlan().MustId() == 18, "the VLAN is %d", read.MustVlan().MustId()); err != nil {
		return err
	}
	oneNetwork.Remove().MustSend()
	oneCluster.Remove().MustSend()
	if err := gone(func() error { _, err := oneCluster.Get().Send(); return err }); err != nil {
		return err
	}
	oneCenter.Remove().MustSend()
	return gone(func() error { _, err := oneCenter.Get().Send(); return err })
}

func lists() error {
	for _, one := range system().HostsService().List().MustSend().MustHosts().Slice() {
		system().HostsService().HostService(one.MustId()).NicsService().List().MustSend().MustNics()
	}
	for _, one := range system().UsersService().List().MustSend().MustUsers().Slice() {
		system().UsersService().UserService(one.MustId()).PermissionsService().List().MustSend().MustPermissions()
	}
	system().EventsService().List().Max(10).MustSend().MustEvents()
	system().RolesService().List().MustSend().MustRoles()
	system().OperatingSystemsService().List().MustSend().MustOperatingSystem()
	system().VnicProfilesService().List().MustSend().MustProfiles()
	system().TemplatesService().List().MustSend().MustTemplates()
	system().JobsService().List().MustSend().MustJobs()
	return nil
}

// vms creates a VM with a disk and a NIC, runs it, makes a snapshot and a template, and removes all.
func vms() error {
	service := system().VmsService()
	vm := service.Add().Vm(ovirt.NewVmBuilder().Name("go-vm").
		Cluster(ovirt.NewClusterBuilder().Name("Default").MustBuild()).
		Template(ovirt.NewTemplateBuilder().Name("Blank").MustBuild()).
		Memory(512 * mib).MustBuild()).MustSend().MustVm()
	id := vm.MustId()
	one := service.VmService(id)
	if err := vmStatus(id, ovirt.VMSTATUS_DOWN); err != nil {
		return err
	}
	one.Update().Vm(ovirt.NewVmBuilder().Memory(1024 * mib).Description("changed").MustBuild()).MustSend()
	if read := one.Get().MustSend().MustVm(); read.MustMemory() != 1024*mib {
		return fmt.Errorf("memory is %d", read.MustMemory())
	}
	profile := system().VnicProfilesService().List().MustSend().MustProfiles().Slice()[0]
	one.NicsService().Add().Nic(ovirt.NewNicBuilder().Name("nic1").Interface(ovirt.NICINTERFACE_VIRTIO).
		VnicProfile(ovirt.NewVnicProfileBuilder().Id(profile.MustId()).MustBuild()).MustBuild()).MustSend().MustNic()
	disk := newDisk("go-vm-disk", gib, ovirt.DISKFORMAT_COW)
	one.DiskAttachmentsService().Add().Attachment(ovirt.NewDiskAttachmentBuilder().
		Disk(ovirt.NewDiskBuilder().Id(disk).MustBuild()).Interface(ovirt.DISKINTERFACE_VIRTIO_SCSI).
		Bootable(true).Active(true).MustBuild()).MustSend().MustAttachment()
	one.Start().MustSend()
	if err := vmStatus(id, ovirt.VMSTATUS_UP); err != nil {
		return err
	}
	one.Shutdown().MustSend()
	if err := vmStatus(id, ovirt.VMSTATUS_DOWN); err != nil {
		return err
	}
	snapshots := one.SnapshotsService()
	snapshot := snapshots.Add().Snapshot(ovirt.NewSnapshotBuilder().Description("go").PersistMemorystate(false).MustBuild()).MustSend().MustSnapshot()
	ready := func() (bool, error) {
		answer, err := snapshots.SnapshotService(snapshot.MustId()).Get().Send()
		if err != nil {
			return false, err
		}
		return answer.MustSnapshot().MustSnapshotStatus() == ovirt.SNAPSHOTSTATUS_OK, nil
	}
	if err := poll("snapshot", ready); err != nil {
		return err
	}
	snapshots.SnapshotService(snapshot.MustId()).Remove().MustSend()
	if err := gone(func() error { _, err := snapshots.SnapshotService(snapshot.MustId()).Get().Send(); return err }); err != nil {
		return err
	}
	templates := system().TemplatesService()
	template := templates.Add().Template(ovirt.NewTemplateBuilder().Name("go-template").
		Vm(ovirt.NewVmBuilder().Id(id).MustBuild()).MustBuild()).MustSend().MustTemplate()
	oneTemplate := templates.TemplateService(template.MustId())
	locked := func() (bool, error) {
		return oneTemplate.Get().MustSend().MustTemplate().MustStatus() == ovirt.TEMPLATESTATUS_OK, nil
	}
	if err := poll("template", locked); err != nil {
		return err
	}
	oneTemplate.Remove().MustSend()
	if err := gone(func() error { _, err := oneTemplate.Get().Send(); return err }); err != nil {
		return err
	}
	if err := vmStatus(id, ovirt.VMSTATUS_DOWN); err != nil {
		return err
	}
	one.Remove().MustSend()
	return gone(func() error { _, err := one.Get().Send(); return err })
}

// images uploads a disk and downloads it, with the transfer URL that go-ovirt reads.
func images() error {
	const size = 4 * mib
	id := newDisk("go-image", size, ovirt.DISKFORMAT_RAW)
	authority, err := os.ReadFile(os.Getenv("VMCTL_CA_FILE"))
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority)
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	content := bytes.Repeat([]byte("an image of go "), int(size)/15+1)[:size]
	transfer := func(direction ovirt.ImageTransferDirection, method string, body []byte) ([]byte, error) {
		transfers := system().ImageTransfersService()
		started := transfers.Add().ImageTransfer(ovirt.NewImageTransferBuilder().
			Image(ovirt.NewImageBuilder().Id(id).MustBuild()).Direction(direction).MustBuild()).MustSend().MustImageTransfer()
		one := transfers.ImageTransferService(started.MustId())
		url := ""
		if err := poll("transfer", func() (bool, error) {
			read := one.Get().MustSend().MustImageTransfer()
			url, _ = read.TransferUrl()
			return read.MustPhase() == ovirt.IMAGETRANSFERPHASE_TRANSFERRING, nil
		}); err != nil {
			return nil, err
		}
		request, err := http.NewRequest(method, url, bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		answer, err := client.Do(request)
		if err != nil {
			return nil, err
		}
		defer answer.Body.Close()
		received, err := io.ReadAll(answer.Body)
		if err == nil && answer.StatusCode >= 300 {
			err = fmt.Errorf("%s: %s", answer.Status, received)
		}
		one.Finalize().MustSend()
		return received, errors.Join(err, diskStatus(id, ovirt.DISKSTATUS_OK))
	}
	if _, err := transfer(ovirt.IMAGETRANSFERDIRECTION_UPLOAD, http.MethodPut, content); err != nil {
		return err
	}
	received, err := transfer(ovirt.IMAGETRANSFERDIRECTION_DOWNLOAD, http.MethodGet, nil)
	if err != nil {
		return err
	}
	if !bytes.Equal(received, content) {
		return errors.New("the bytes differ")
	}
	one := system().DisksService().DiskService(id)
	one.Remove().MustSend()
	return gone(func() error { _, err := one.Get().Send(); return err })
}

// file is an image in memory that go-ovirt-client uploads.
type file struct{ *bytes.Reader }

func (file) Close() error { return nil }

// imagesOfClient uploads and downloads an image with go-ovirt-client.
func imagesOfClient() error {
	content := bytes.Repeat([]byte("go-ovirt-client "), int(4*mib)/16)
	client, err := ovirtclient.New(os.Getenv("VMCTL_URL"), os.Getenv("VMCTL_USERNAME"), os.Getenv("VMCTL_PASSWORD"),
		ovirtclient.TLS().CACertsFromFile(os.Getenv("VMCTL_CA_FILE")), ovirtlog.NewNOOPLogger(), nil)
	if err != nil {
		return err
	}
	uploaded, err := client.UploadToNewDisk(ovirtclient.StorageDomainID(dataDomain().MustId()), ovirtclient.ImageFormatRaw,
		uint64(len(content)), ovirtclient.CreateDiskParams().MustWithSparse(true).MustWithAlias("go-client-image"),
		file{bytes.NewReader(content)})
	if err != nil {
		return err
	}
	download, err := client.DownloadDisk(uploaded.Disk().ID(), ovirtclient.ImageFormatRaw)
	if err != nil {
		return err
	}
	received, err := io.ReadAll(download)
	if err = errors.Join(err, download.Close()); err != nil {
		return err
	}
	if !bytes.Equal(received, content) {
		return errors.New("the bytes differ")
	}
	return client.RemoveDisk(uploaded.Disk().ID())
}

func faults() error {
	_, err := system().VmsService().VmService("00000000-0000-0000-0000-00000000dead").Get().Send()
	var unknown *ovirt.NotFoundError
	return expect(errors.As(err, &unknown), "an unknown VM: %v", err)
}

func main() {
	var err error
	connection, err = ovirt.NewConnectionBuilder().URL(os.Getenv("VMCTL_URL")).CAFile(os.Getenv("VMCTL_CA_FILE")).
		Username(os.Getenv("VMCTL_USERNAME")).Password(os.Getenv("VMCTL_PASSWORD")).Build()
	if err != nil {
		panic(err)
	}
	defer connection.Close()
	step("connection: test", connection.Test)
	step("lists", lists)
	step("bookmarks", bookmarks)
	step("tags", tags)
	step("MAC pools", macPools)
	step("data centers, clusters and networks", centers)
	step("VMs, disks, NICs, snapshots and templates", vms)
	step("upload and download", images)
	step("upload and download with go-ovirt-client", imagesOfClient)
	step("faults", faults)
}
