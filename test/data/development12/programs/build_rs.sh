# builds the Rust program in the chroot $ROOTFS with Debian's crates:   ROOTFS=.. build_rs.sh SRC DST [NAME=VALUE..]
R=$ROOTFS; src=$1; dst=$2; shift 2
mkdir -p $R/opt/rs; cp $src/Cargo.toml $R/opt/rs/; rm -rf $R/opt/rs/src; cp -r $src/src $R/opt/rs/src
printf '[source.crates-io]\nreplace-with = "d"\n[source.d]\ndirectory = "/usr/share/cargo/registry"\n[net]\noffline = true\n' > $R/opt/rs/config.toml; mkdir -p $R/opt/rs/.cargo; mv $R/opt/rs/config.toml $R/opt/rs/.cargo/
mountpoint -q $R/proc || mount -t proc proc $R/proc
chroot $R /usr/bin/env -i HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@" nice cargo build --release --offline -j 2 --manifest-path /opt/rs/Cargo.toml --config /opt/rs/.cargo/config.toml || exit 1
mkdir -p $(dirname $dst); cp $R/opt/rs/target/release/osprey $dst
