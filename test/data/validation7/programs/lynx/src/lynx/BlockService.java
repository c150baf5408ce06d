package lynx;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Serves this executor's slices to the others and fetches theirs. */
final class BlockService {
    static final class FetchFailedException extends IOException {
        FetchFailedException(int ex, String host, int port, String block, IOException cause) {
            super("FetchFailed(BlockManagerId(" + ex + ", " + host + ", " + port + ", None), block=" + block + ", message=" + cause.getMessage() + ")", cause);
        }
    }

    private record Link(Socket s, DataInputStream in, DataOutputStream out) {}
    private final Map<String, float[]> blocks = new ConcurrentHashMap<>();
    private final Map<Integer, Link> links = new HashMap<>();
    private final int timeout;

    BlockService(int port, int timeoutMs) throws IOException {
        timeout = timeoutMs;
        ServerSocket srv = new ServerSocket(port);
        Log.info("NettyBlockTransferService", "Server created on %s:%d", java.net.InetAddress.getLocalHost().getHostName(), port);
        Thread t = new Thread(() -> {
            while (true) {
                try {
                    Socket s = srv.accept();
                    Thread h = new Thread(() -> serve(s), "block-server");
                    h.setDaemon(true);
                    h.start();
                } catch (IOException e) { return; }
            }
        }, "block-accept");
        t.setDaemon(true);
        t.start();
    }

    private void serve(Socket s) {
        try (s) {
            s.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(new BufferedInputStream(s.getInputStream()));
            DataOutputStream out = new DataOutputStream(new BufferedOutputStream(s.getOutputStream(), 1 << 16));
            while (true) {
                float[] b = blocks.get(in.readUTF());
                out.writeInt(b == null ? -1 : b.length);
                if (b != null) for (float f : b) out.writeFloat(f);
                out.flush();
            }
        } catch (java.io.EOFException e) {
            return;
        } catch (IOException e) {
            Log.warn("TransportChannelHandler", "Exception in connection from %s: %s", s.getRemoteSocketAddress(), e);
        }
    }

    void put(String id, float[] v) { blocks.put(id, v); }
    void drop(String prefix) { blocks.keySet().removeIf(k -> k.startsWith(prefix)); }

    void forget() {
        for (Link l : links.values()) try { l.s.close(); } catch (IOException e) { Log.info("TransportClient", "%s", e); }
        links.clear();
    }

    float[] fetch(int ex, String host, int port, String id) throws IOException {
        for (int k = 0; ; k++) {
            try {
                Link l = links.get(ex);
                if (l == null) {
                    Socket s = new Socket();
                    s.connect(new InetSocketAddress(host, port), timeout);
                    s.setSoTimeout(timeout);
                    s.setTcpNoDelay(true);
                    links.put(ex, l = new Link(s, new DataInputStream(new BufferedInputStream(s.getInputStream(), 1 << 16)), new DataOutputStream(new BufferedOutputStream(s.getOutputStream()))));
                }
                l.out.writeUTF(id);
                l.out.flush();
                int n = l.in.readInt();
                if (n < 0) throw new IOException("Block " + id + " is not available on the peer");
                float[] v = new float[n];
                for (int i = 0; i < n; i++) v[i] = l.in.readFloat();
                return v;
            } catch (IOException e) {
                Link l = links.remove(ex);
                if (l != null) l.s.close();
                Log.error("OneForOneBlockFetcher", "Failed while starting block fetches of %s from %s:%d: %s", id, host, port, e);
                if (k == 1 || e instanceof java.net.SocketTimeoutException) throw new FetchFailedException(ex, host, port, id, e);
                Log.info("RetryingBlockTransferor", "Retrying fetch (1/1) for 1 outstanding blocks after 400 ms");
                try { Thread.sleep(400); } catch (InterruptedException i) { throw new FetchFailedException(ex, host, port, id, e); }
            }
        }
    }
}
