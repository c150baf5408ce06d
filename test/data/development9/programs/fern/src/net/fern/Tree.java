package net.fern;

import java.io.*;
import java.net.*;
import java.nio.*;
import java.util.*;

/** Membership through rank 0, and a sum over a binary tree: partial sums travel up, the mean travels down. */
final class Tree {
    private static final Log log = new Log(Tree.class);

    static final class AggregationException extends Exception {
        AggregationException(String m, Throwable cause) { super(m, cause); }
    }

    private static final class Link {
        int rank; String host; Socket s; DataInputStream in; DataOutputStream out;
        Link(int rank, String host, Socket s) throws IOException {
            this.rank = rank; this.host = host; this.s = s; s.setTcpNoDelay(true);
            in = new DataInputStream(new BufferedInputStream(s.getInputStream(), 1 << 16)); out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream(), 1 << 16));
        }
        public String toString() { return "rank " + rank + " (" + host + ")"; }
    }

    private final Conf c; private final String me = Conf.host();
    private final List<Link> children = new ArrayList<>(); private Link parent;
    private final String[] hosts; private final int[] ports;
    private final int waitMs;

    Tree(Conf c, String build) throws Exception {
        this.c = c; hosts = new String[c.world]; ports = new int[c.world]; waitMs = c.num("tree.wait.ms");
        ServerSocket mine = new ServerSocket(); mine.setReuseAddress(true); mine.bind(new InetSocketAddress(c.num("tree.port") + c.rank), 16);
        if (c.rank == 0) muster(build); else enlist(build);
        mine.setSoTimeout(c.num("join.ms"));
        if (c.rank > 0) {
            int p = (c.rank - 1) / 2; Socket s = null;
            for (int k = 1; s == null; k++) {
                try { s = new Socket(); s.connect(new InetSocketAddress(hosts[p], ports[p]), c.num("connect.ms")); }
                catch (IOException e) {
                    s = null;
                    if (k == 4) throw new AggregationException("cannot reach parent rank " + p + " at " + hosts[p] + ":" + ports[p], e);
                    log.warn("connect to parent rank %d at %s:%d: %s, try %d of 4", p, hosts[p], ports[p], e.getMessage(), k); Thread.sleep(500 * k);
                }
            }
            parent = new Link(p, hosts[p], s); s.setSoTimeout(waitMs); parent.out.writeInt(c.rank); parent.out.flush();
        }
        int expect = 0; for (int k = 2 * c.rank + 1; k <= 2 * c.rank + 2; k++) if (k < c.world) expect++;
        while (children.size() < expect) {
            Socket s;
            try { s = mine.accept(); } catch (SocketTimeoutException e) { throw new AggregationException("only " + children.size() + " of " + expect + " children attached", e); }
            Link l = new Link(-1, "?", s); s.setSoTimeout(waitMs); l.rank = l.in.readInt(); l.host = hosts[l.rank]; children.add(l);
        }
        children.sort((a, b) -> a.rank - b.rank); mine.close();
        log.info("tree formed: rank %d of %d on %s, parent %s, children %s", c.rank, c.world, me, parent == null ? "none" : parent.toString(), children);
    }

    private void muster(String build) throws Exception {
        ServerSocket s = new ServerSocket(); s.setReuseAddress(true); s.bind(new InetSocketAddress(c.num("coordinator.port")), 64);
        long end = System.currentTimeMillis() + c.num("join.ms");
        Map<Integer, Socket> in = new TreeMap<>(); hosts[0] = me; ports[0] = c.num("tree.port");
        log.info("coordinator listens on port %d for %d members", c.num("coordinator.port"), c.world - 1);
        while (in.size() < c.world - 1) {
            long left = end - System.currentTimeMillis();
            Socket k = null;
            if (left > 0) try { s.setSoTimeout((int) left); k = s.accept(); } catch (SocketTimeoutException e) { /* told below */ }
            if (k == null) {
                List<Integer> missing = new ArrayList<>(); for (int r = 1; r < c.world; r++) if (!in.containsKey(r)) missing.add(r);
                throw new AggregationException("members missing after " + c.num("join.ms") + " ms: " + missing, null);
            }
            k.setSoTimeout(5000);
            BufferedReader r = new BufferedReader(new InputStreamReader(k.getInputStream())); String line = r.readLine();
            if (line == null) { k.close(); continue; }
            String[] f = line.split(" "); int rank = Integer.parseInt(f[1]);
            if (!f[4].equals(build)) {
                log.error("member %d at %s runs build %s, coordinator runs %s: refused", rank, f[2], f[4], build);
                k.getOutputStream().write(("REFUSED build " + build + " wanted\n").getBytes()); k.close(); continue;
            }
            in.put(rank, k); hosts[rank] = f[2]; ports[rank] = Integer.parseInt(f[3]);
            log.info("member %d joined from %s (%d/%d)", rank, f[2], in.size() + 1, c.world);
        }
        StringBuilder b = new StringBuilder("ROSTER"); for (int r = 0; r < c.world; r++) b.append(' ').append(hosts[r]).append(':').append(ports[r]);
        for (Socket k : in.values()) { k.getOutputStream().write((b + "\n").getBytes()); k.close(); }
        s.close();
    }

    private void enlist(String build) throws Exception {
        Socket s = null; String h = c.str("coordinator.host");
        for (int k = 1; s == null; k++) {
            try { s = new Socket(); s.connect(new InetSocketAddress(InetAddress.getByName(h), c.num("coordinator.port")), c.num("connect.ms")); }
            catch (IOException e) {
                s = null;
                if (k == 12) throw e;
                log.warn("coordinator %s:%d not reachable (%s), again in %d ms", h, c.num("coordinator.port"), e, 600); Thread.sleep(600);
            }
        }
        s.getOutputStream().write(("JOIN " + c.rank + " " + me + " " + (c.num("tree.port") + c.rank) + " " + build + "\n").getBytes());
        s.setSoTimeout(c.num("join.ms") + 4000);
        String line = new BufferedReader(new InputStreamReader(s.getInputStream())).readLine();
        if (line == null) throw new EOFException("coordinator " + h + " closed the connection before the roster was complete");
        if (!line.startsWith("ROSTER")) throw new IllegalStateException("coordinator " + h + ": " + line);
        String[] f = line.split(" ");
        for (int r = 0; r < c.world; r++) { hosts[r] = f[r + 1].split(":")[0]; ports[r] = Integer.parseInt(f[r + 1].split(":")[1]); }
        s.close();
    }

    private float[] receive(Link l, int n, int it, String what) throws AggregationException {
        try {
            int k = l.in.readInt(), m = l.in.readInt();
            if (m != n) throw new StreamCorruptedException(what + " from " + l + " has " + m + " floats, expected " + n);
            if (k != it) throw new StreamCorruptedException(what + " from " + l + " is of iteration " + k + ", expected " + it);
            byte[] b = new byte[4 * n]; l.in.readFully(b);
            float[] x = new float[n]; ByteBuffer.wrap(b).asFloatBuffer().get(x);
            return x;
        } catch (SocketTimeoutException e) {
            throw new AggregationException("iteration " + it + ": no " + what + " from " + l + " for " + waitMs + " ms", e);
        } catch (IOException e) {
            throw new AggregationException("iteration " + it + ": " + what + " from " + l + " not received", e);
        }
    }

    private void send(Link l, float[] x, int it) throws AggregationException {
        try {
            byte[] b = new byte[4 * x.length]; ByteBuffer.wrap(b).asFloatBuffer().put(x);
            l.out.writeInt(it); l.out.writeInt(x.length); l.out.write(b); l.out.flush();
        } catch (IOException e) {
            throw new AggregationException("iteration " + it + ": could not send to " + l, e);
        }
    }

    /** Mean of x over all ranks. */
    float[] mean(float[] x, int it) throws AggregationException {
        float[] s = x.clone();
        for (Link l : children) { float[] y = receive(l, s.length, it, "partial sum"); for (int i = 0; i < s.length; i++) s[i] += y[i]; }
        if (parent != null) { send(parent, s, it); s = receive(parent, s.length, it, "mean"); }
        else for (int i = 0; i < s.length; i++) s[i] /= c.world;
        for (Link l : children) send(l, s, it);
        return s;
    }

    void close() { for (Link l : children) try { l.s.close(); } catch (IOException e) { /* going down */ } if (parent != null) try { parent.s.close(); } catch (IOException e) { /* going down */ } }
}
