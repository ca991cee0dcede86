module octuple/tests/interop

go 1.26
