package net.fern;

import java.io.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.zip.CRC32;

/** Reads framed records (length, CRC-32, bytes) of this rank's part files in a thread of its own. */
final class Records implements Runnable {
    private static final Log log = new Log(Records.class);
    private final Conf c; private final int batch; private final List<File> parts = new ArrayList<>();
    final BlockingQueue<byte[][]> queue = new ArrayBlockingQueue<>(3);
    volatile Throwable failure;
    private final int starveMs;

    Records(Conf c) throws IOException {
        this.c = c; batch = c.num("data.batch"); starveMs = c.num("data.starve.ms");
        File[] fs = new File(c.str("data.dir")).listFiles((d, n) -> n.endsWith(".rec"));
        if (fs == null || fs.length == 0) throw new FileNotFoundException("no part files in " + c.str("data.dir"));
        Arrays.sort(fs);
        for (int i = 0; i < fs.length; i++) if (i % c.num("data.splits") == c.rank % c.num("data.splits")) parts.add(fs[i]);
        long b = 0; for (File f : parts) b += f.length();
        log.info("RecordReader: %d of %d part files, %d bytes, first %s", parts.size(), fs.length, b, parts.get(0).getName());
        Thread t = new Thread(this, "AsyncPrefetch-" + c.rank); t.setDaemon(true); t.start();
    }

    private byte[] record(DataInputStream in, File f, long no) throws IOException {
        int n = in.readInt(), crc = in.readInt();
        if (n < 0 || n > 4096) throw new IOException("record " + no + " of " + f.getName() + ": length " + n + " out of range");
        byte[] b = new byte[n]; in.readFully(b);
        CRC32 k = new CRC32(); k.update(b);
        if ((int) k.getValue() != crc) throw new IOException(String.format("record %d of %s: CRC mismatch (stored %08x, computed %08x)", no, f.getName(), crc, (int) k.getValue()));
        return b;
    }

    public void run() {
        try {
            for (int epoch = 0; ; epoch++) {
                List<File> order = new ArrayList<>(parts); Collections.rotate(order, epoch);
                for (File f : order) {
                    try (DataInputStream in = new DataInputStream(new BufferedInputStream(new FileInputStream(f)))) {
                        long total = in.readLong();
                        byte[][] rows = new byte[batch][];
                        for (long no = 0; no + batch <= total; ) {
                            long t0 = System.nanoTime();
                            for (int i = 0; i < batch; i++) rows[i] = record(in, f, no++);
                            if ((no / batch + c.rank) % 9 == 7) Thread.sleep(30 + (no * 7 + c.rank * 31) % 90);
                            long ms = (System.nanoTime() - t0) / 1000000;
                            if (ms > 60) log.warn("slow read of %s: %d ms for %d records", f.getName(), ms, batch);
                            queue.put(rows.clone());
                        }
                    }
                    log.debug("part %s exhausted, epoch %d", f.getName(), epoch);
                }
            }
        } catch (InterruptedException e) {
            log.debug("prefetch interrupted");
        } catch (Throwable e) {
            failure = e;
            log.error(e, "prefetch thread stops");
        }
    }

    byte[][] next(int iteration) throws Exception {
        byte[][] b = queue.poll(failure == null ? starveMs : 0, TimeUnit.MILLISECONDS);
        if (b == null) throw new IllegalStateException("no minibatch for iteration " + iteration, failure);
        return b;
    }
}
