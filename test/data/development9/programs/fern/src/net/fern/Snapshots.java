package net.fern;

import java.io.*;
import java.net.*;
import java.nio.*;
import java.nio.channels.FileChannel;
import java.nio.file.*;
import java.util.zip.CRC32;

final class Snapshots {
    private static final Log log = new Log(Snapshots.class);
    private final Conf c;
    Snapshots(Conf c) { this.c = c; }

    void save(Model m, int it) throws IOException {
        long t0 = System.nanoTime();
        byte[] b = new byte[4 * m.w.length]; ByteBuffer.wrap(b).asFloatBuffer().put(m.w);
        Path local = Path.of(c.str("snapshot.dir"), "replica-" + c.rank + "-" + it + ".bin");
        byte[] pad = new byte[c.num("snapshot.kb") * 1024];
        try (FileOutputStream o = new FileOutputStream(local.toFile())) { o.write(b); o.write(pad); o.getFD().sync(); }
        Files.deleteIfExists(Path.of(c.str("snapshot.dir"), "replica-" + c.rank + "-" + (it - c.num("save.every")) + ".bin"));
        if (c.rank == 0) {
            try { Files.delete(Path.of(c.str("model.dir"), "latest.part")); } catch (NoSuchFileException e) { log.error(e, "could not remove stale part file"); }
            Path p = Path.of(c.str("model.dir"), "model_iter_" + it + ".fern"), t = Path.of(p + ".part");
            CRC32 k = new CRC32(); k.update(b);
            ByteBuffer h = ByteBuffer.allocate(12); h.putInt(it).putInt(m.w.length).putInt((int) k.getValue());
            try (FileOutputStream o = new FileOutputStream(t.toFile())) { o.write(h.array()); o.write(b); }
            Files.move(t, p, StandardCopyOption.ATOMIC_MOVE);
            log.info("Model saved to %s (%d parameters, %.1f ms)", p, m.w.length, (System.nanoTime() - t0) / 1e6);
            upload(p);
        } else log.debug("replica snapshot %s written in %.1f ms", local.getFileName(), (System.nanoTime() - t0) / 1e6);
    }

    private void upload(Path p) throws IOException {
        for (int k = 1; k <= 4; k++) {
            HttpURLConnection u = (HttpURLConnection) new URL(c.str("blob.url") + "/models/" + p.getFileName()).openConnection();
            u.setRequestMethod("PUT"); u.setDoOutput(true); u.setConnectTimeout(3000); u.setReadTimeout(5000);
            try (OutputStream o = u.getOutputStream()) { o.write(Files.readAllBytes(p)); }
            int code = u.getResponseCode();
            if (code == 200) { log.debug("mirrored %s", p.getFileName()); return; }
            log.warn("PUT %s answered %d %s, attempt %d", u.getURL().getPath(), code, u.getResponseMessage(), k);
            try { Thread.sleep(300L * k); } catch (InterruptedException e) { return; }
        }
        log.warn("%s is not mirrored", p.getFileName());
    }

    /** The newest model, or 0 if there is none. */
    int restore(Model m) throws IOException {
        int best = 0;
        File[] fs = new File(c.str("model.dir")).listFiles((d, n) -> n.matches("model_iter_\\d+\\.fern"));
        if (fs == null) throw new FileNotFoundException(c.str("model.dir"));
        for (File f : fs) best = Math.max(best, Integer.parseInt(f.getName().replaceAll("\\D", "")));
        if (best == 0) { log.info("no saved model in %s, starting from scratch", c.str("model.dir")); return 0; }
        ByteBuffer b = ByteBuffer.wrap(Files.readAllBytes(Path.of(c.str("model.dir"), "model_iter_" + best + ".fern")));
        int it = b.getInt(), n = b.getInt(), crc = b.getInt();
        if (n != m.w.length) throw new IOException("model_iter_" + best + ".fern holds " + n + " parameters, the network has " + m.w.length);
        byte[] x = new byte[4 * n]; b.get(x); CRC32 k = new CRC32(); k.update(x);
        if ((int) k.getValue() != crc) throw new IOException("model_iter_" + best + ".fern: bad checksum");
        ByteBuffer.wrap(x).asFloatBuffer().get(m.w);
        log.info("Restored model_iter_%d.fern, resuming after iteration %d", best, it);
        return it;
    }
}
