package net.fern;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

final class Conf {
    final Properties p = new Properties();
    final int rank = Integer.parseInt(System.getenv("FERN_RANK"));
    final int world;

    Conf(String file) throws IOException {
        try (InputStream in = new FileInputStream(file)) { p.load(in); }
        world = num("cluster.size");
    }

    String str(String k) {
        String v = p.getProperty(k);
        if (v == null) throw new IllegalArgumentException("missing property '" + k + "'");
        return v.trim();
    }
    int num(String k) { return Integer.parseInt(str(k)); }
    double real(String k) { return Double.parseDouble(str(k)); }

    static String host() {
        try { return java.nio.file.Files.readString(java.nio.file.Path.of("/proc/sys/kernel/hostname")).trim(); } catch (IOException e) { return "localhost"; }
    }

    /** Where this rank is: read by the site's job monitor. */
    static void mark(int rank, String stage, int it, String phase) {
        try (java.io.FileOutputStream o = new java.io.FileOutputStream("/run/rr/rank-" + rank)) { o.write((stage + " " + it + " " + phase).getBytes()); } catch (IOException e) { /* no monitor */ }
    }
}
