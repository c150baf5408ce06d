# builds the Java program in the chroot $ROOTFS:   ROOTFS=.. build.sh SRC JAR
R=$ROOTFS; rm -rf $R/opt/jv; mkdir -p $R/opt/jv; cp -r $1 $R/opt/jv/src
mountpoint -q $R/proc || mount -t proc proc $R/proc
chroot $R bash -c 'cd /opt/jv && mkdir c && nice javac -nowarn -d c src/lynx/*.java && jar cf lynx.jar -C c .' || exit 1
cp $R/opt/jv/lynx.jar $2; umount $R/proc
