module vmctl-client-session

go 1.21

require (
	github.com/ovirt/go-ovirt v0.0.0-20220427092237-114c47f2835c
	github.com/ovirt/go-ovirt-client-log/v3 v3.0.0
	github.com/ovirt/go-ovirt-client/v3 v3.2.0
)

require github.com/google/uuid v1.3.0 // indirect
