module vmctl-client-session

go 1.21

require github.com/ovirt/go-ovirt v0.0.0-20220427092237-114c47f2835c
