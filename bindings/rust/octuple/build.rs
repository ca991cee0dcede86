// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors
//! Where liboctuple.so is: in the build folder that OCTUPLE_BUILD names, or where pkg-config says that it is installed.

use std::{env, path::Path};

fn main() {
    println!("cargo::rerun-if-env-changed=OCTUPLE_BUILD");
    match env::var_os("OCTUPLE_BUILD") {
        Some(build) => link_from(&Path::new(&build).join("lib")),
        None => {
            pkg_config::Config::new()
                .atleast_version(env!("CARGO_PKG_VERSION"))
                .probe("octuple")
                .unwrap_or_else(|error| panic!("no liboctuple; install it, or set OCTUPLE_BUILD: {error}"));
        }
    }
}

fn link_from(folder: &Path) {
    let library = folder.join("liboctuple.so");
    assert!(library.exists(), "OCTUPLE_BUILD: there is no {}", library.display());
    println!("cargo::rerun-if-changed={}", library.display());
    println!("cargo::rustc-link-search=native={}", folder.display());
    println!("cargo::rustc-link-lib=dylib=octuple");
}
