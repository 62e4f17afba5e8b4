"""What virt-viewer and GNOME Boxes do with the API, through the library that they use.

Arguments: HOST:PORT, the file of the certificate authority, login name, password, name of a machine
that is down. Prints what it saw as JSON.
"""

import json
import sys

import gi

gi.require_version("GoVirt", "1.0")
from gi.repository import GoVirt  # noqa: E402

host, authority, username, password, down = sys.argv[1:]
proxy = GoVirt.Proxy.new(host)
proxy.props.ssl_ca_file = authority
proxy.props.username = username
proxy.props.password = password
# Requests of users who are not administrators show no host.
proxy.props.admin = True

api = proxy.fetch_api()


def fetched(collection):
    collection.fetch(proxy)
    return collection.get_resources() or {}


vms = fetched(api.get_vms())
vm = fetched(api.search_vms("name=" + down))[down]
seen = {"vms": sorted(vms), "before": vm.props.state.value_nick}
vm.start(proxy)
vm.refresh(proxy)
seen["started"] = vm.props.state.value_nick
vm.get_ticket(proxy)
display = vm.props.display
seen["display"] = {
    "type": display.props.type.value_nick,
    "address": display.props.address,
    "port": display.props.port > 0,
    "ticket": len(display.props.ticket) > 0,
    "expiry": display.props.expiry,
}
seen["cdroms"] = sorted(fetched(vm.get_cdroms()))
place = vm.get_host()
place.refresh(proxy)
seen["host"] = place.props.name
cluster = vm.get_cluster()
cluster.refresh(proxy)
seen["cluster"] = cluster.props.name
vm.stop(proxy)
vm.refresh(proxy)
seen["stopped"] = vm.props.state.value_nick

for name in ["clusters", "data_centers", "hosts", "storage_domains"]:
    seen[name] = sorted(fetched(getattr(api, "get_" + name)()))
seen["files"] = {}
for name, domain in fetched(api.get_storage_domains()).items():
    files = domain.get_files()
    if files is not None:
        seen["files"][name] = sorted(file.props.name for file in fetched(files).values())
seen["master"] = [
    name for name, one in fetched(api.get_storage_domains()).items() if one.props.master
]
json.dump(seen, sys.stdout)
