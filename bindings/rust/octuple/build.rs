// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors
//! Where liboctuple.so is: in the build folder that OCTUPLE_BUILD names, or where pkg-config says that it is installed.

use std::{env, path::Path, process};

fn main() {
    println!("cargo::rerun-if-env-changed=OCTUPLE_BUILD");
    match env::var_os("OCTUPLE_BUILD") {
        Some(build) => link_from(&Path::new(&build).join("lib")),
        None => {
            pkg_config::Config::new()
                .atleast_version(env!("CARGO_PKG_VERSION"))
                .probe("octuple")
                .unwrap_or_else(|error| {
                    let why = error.to_string();
                    fail(&format!(
                        "no liboctuple: install liboctuple-dev, or set OCTUPLE_BUILD to a build folder ({})",
                        why.lines().find(|line| !line.is_empty()).unwrap_or_default()
                    ))
                });
        }
    }
}

/// A line, where a panic would have thirty: what Cargo is told of an error fails the build by itself.
fn fail(why: &str) -> ! {
    println!("cargo::error={why}");
    process::exit(0)
}

fn link_from(folder: &Path) {
    let library = folder.join("liboctuple.so");
    if !library.exists() {
        fail(&format!("OCTUPLE_BUILD: there is no {}", library.display()));
    }
    println!("cargo::rerun-if-changed={}", library.display());
    println!("cargo::rustc-link-search=native={}", folder.display());
    println!("cargo::rustc-link-lib=dylib=octuple");
}
