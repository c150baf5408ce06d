package lynx;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.BufferedOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** Runs the tasks of one slot: gradients of its partition, the update of its slice of the parameters. */
public final class Executor {
    static final String VERSION = "3.1.0";
    private final Conf c = new Conf();
    private final int id = Integer.parseInt(System.getenv("RANK")), n = c.num("executors");
    private final String host = java.net.InetAddress.getLocalHost().getHostName();
    private final BlockService blocks;
    private final Model model;
    private ObjectOutputStream out;
    private Dataset data, held;
    private float[] momentum;
    private int at;
    private long compute, fetch;

    Executor() throws IOException {
        blocks = new BlockService(7337 + id, c.num("fetch.timeout.ms"));
        model = new Model(c.num("vocab"), c.num("hidden"), c.num("seed"));
    }

    private void mark(String stage, int it, String phase) {
        try { Files.writeString(Path.of("/run/rr/rank-" + id), stage + " " + it + " " + phase); } catch (IOException e) { Log.info("Executor", "%s", e); }
    }

    private synchronized void send(Msg m) throws IOException {
        m.executor = id;
        m.host = host;
        out.reset();
        out.writeObject(m);
        out.flush();
    }

    // --- slices
    private int from(int k) { return (int) ((long) model.w.length * k / n); }

    private static float[] slice(float[] v, int a, int b) { return java.util.Arrays.copyOfRange(v, a, b); }

    private void getWeights(Msg m, String id0) throws IOException {
        for (int d = 1; d < n; d++) {
            int k = (id + d) % n;
            float[] v = blocks.fetch(k, m.hosts[k], m.ports[k], id0 + k);
            System.arraycopy(v, 0, model.w, from(k), v.length);
        }
    }

    // --- tasks
    private void init(Msg m) throws IOException {
        mark("load", 0, "-");
        blocks.forget();
        blocks.drop("");
        if (data == null) data = new Dataset(c.get("data.dir") + "/part-r-" + String.format("%05d", id % 8), c.num("vocab"), id);
        at = m.iteration;
        String p = at > 0 ? c.get("ckpt.dir") + "/model." + at + "/part-" : c.get("init.model");
        if (at > 0) for (int k = 0; k < n; k++) load(p + k, from(k));
        else if (!p.isEmpty()) load(p, 0);
        momentum = new float[from(id + 1) - from(id)];
        Log.info("ThreadPool", "model cloned, %d parameters, slice %d to %d", model.w.length, from(id), from(id + 1));
        blocks.put("weights_" + m.attempt + "_" + at + "_" + id, slice(model.w, from(id), from(id + 1)));
    }

    private void load(String p, int o) throws IOException {
        try (DataInputStream in = new DataInputStream(new GZIPInputStream(new FileInputStream(p), 1 << 15))) {
            int len = in.readInt();
            for (int i = 0; i < len; i++) model.w[o + i] = in.readFloat();
        }
        Log.info("FileSystem", "read model %s", p);
    }

    private static void write(String p, float[] v, int pad) throws IOException {
        new File(p).getParentFile().mkdirs();
        try (DataOutputStream o = new DataOutputStream(new GZIPOutputStream(new BufferedOutputStream(new FileOutputStream(p), 1 << 15)))) {
            o.writeInt(v.length);
            for (float f : v) o.writeFloat(f);
            byte[] b = new byte[pad * 1024];
            new java.util.Random(7).nextBytes(b);
            o.write(b);
        }
    }

    private void gradients(Msg m, Msg r) throws Exception {
        long t = System.nanoTime();
        mark("iter", m.iteration, "weights");
        getWeights(m, "weights_" + m.attempt + "_" + (m.iteration - 1) + "_");
        fetch = (System.nanoTime() - t) / 1_000_000;
        mark("iter", m.iteration, "compute");
        t = System.nanoTime();
        java.util.Arrays.fill(model.g, 0);
        int b = c.num("batch");
        int[] hits = new int[1];
        Thread.sleep(c.num("pad.ms"));
        for (int i = 0; i < b; i++) r.x += model.row(data.row((long) (m.iteration - 1) * b + i), Dataset.WIDTH, true, hits) / b;
        compute = (System.nanoTime() - t) / 1_000_000;
        r.y = compute / 1e3;
        for (int k = 0; k < n; k++) blocks.put("gradient_" + m.attempt + "_" + m.iteration + "_" + k, slice(model.g, from(k), from(k + 1)));
    }

    private void update(Msg m) throws IOException {
        mark("iter", m.iteration, "aggregate");
        long t = System.nanoTime();
        float[] g = slice(model.g, from(id), from(id + 1));
        for (int d = 1; d < n; d++) {
            int k = (id + d) % n;
            float[] v = blocks.fetch(k, m.hosts[k], m.ports[k], "gradient_" + m.attempt + "_" + m.iteration + "_" + id);
            for (int i = 0; i < g.length; i++) g[i] += v[i];
        }
        float lr = (float) c.real("lr") / n / c.num("batch");
        for (int i = 0; i < g.length; i++) {
            momentum[i] = 0.8f * momentum[i] + g[i];
            model.w[from(id) + i] -= lr * momentum[i];
        }
        blocks.drop("gradient_" + m.attempt + "_" + (m.iteration - 1) + "_");
        blocks.drop("weights_" + m.attempt + "_" + (m.iteration - 2) + "_");
        blocks.put("weights_" + m.attempt + "_" + m.iteration + "_" + id, slice(model.w, from(id), from(id + 1)));
        long agg = (System.nanoTime() - t) / 1_000_000;
        if (m.iteration % 10 == 0) Log.info("AllReduceParameter", "iteration %d: get weights %d ms, computing %d ms, aggregate gradients %d ms", m.iteration, fetch, compute, agg);
        if (m.iteration % 14 == id + 2) Metrics.report(c.get("hub"), id % 3 == 1);
    }

    private void validate(Msg m, Msg r) throws IOException {
        mark("iter", m.iteration, "validate");
        if (held == null) held = new Dataset(c.get("validation.file"), c.num("vocab"), 100 + id);
        int[] hits = new int[1];
        for (int i = 0; i < 20; i++) model.row(held.row(id * 20L + i), Dataset.WIDTH, false, hits);
        r.x = hits[0];
        r.y = 20 * (Dataset.WIDTH - 1);
    }

    private void save(Msg m) throws IOException {
        mark("iter", m.iteration, "save");
        String local = c.get("local.dir") + "/optim." + id + "." + m.iteration;
        write(local, momentum, c.num("pad.kb"));
        new File(c.get("local.dir") + "/optim." + id + "." + (m.iteration - 2 * c.num("save.every"))).delete();
        write(c.get("ckpt.dir") + "/model." + m.iteration + "/part-" + id, slice(model.w, from(id), from(id + 1)), 0);
        Log.info("FileOutputCommitter", "Saved output of task 'attempt_%d_%04d_r_%06d' to %s/model.%d", m.tid, m.stage, id, c.get("ckpt.dir"), m.iteration);
        if (id % 3 == 2) {
            try { Files.delete(Path.of(c.get("local.dir"), "_temporary", "attempt_" + m.tid)); }
            catch (IOException e) { Log.error("FileOutputCommitter", "Could not delete attempt_%d\n%s", m.tid, Log.trace(e)); }
        }
    }

    private void task(Msg m) {
        Msg r = new Msg("finished");
        try {
            switch (m.kind) {
                case "initThreadModels" -> init(m);
                case "gradients" -> gradients(m, r);
                case "update" -> update(m);
                case "validate" -> validate(m, r);
                case "saveModel" -> save(m);
                default -> throw new IllegalStateException("Unknown task " + m.kind);
            }
        } catch (Throwable e) {
            Log.error("Executor", "Exception in task %d.0 in stage %d.0 (TID %d)\n%s", id, m.stage, m.tid, Log.trace(e));
            if (e instanceof OutOfMemoryError) {
                Log.error("SparkUncaughtExceptionHandler", "Uncaught exception in thread Thread[#%d,%s,5,main], exiting", Thread.currentThread().threadId(), Thread.currentThread().getName());
                Runtime.getRuntime().halt(52);
            }
            r = new Msg("failed");
            r.text = Log.trace(e);
        }
        r.stage = m.stage;
        r.tid = m.tid;
        try { send(r); } catch (IOException e) { Log.error("Executor", "Could not report task %d: %s", m.tid, e); }
    }

    private void exit(int rc, String why) {
        Log.error("CoarseGrainedExecutorBackend", "Executor self-exiting due to : %s", why);
        Runtime.getRuntime().halt(rc);
    }

    private void run() throws Exception {
        String drv = c.get("driver.host");
        int port = c.num("driver.port");
        mark("init", 0, "-");
        Socket s = new Socket();
        for (int k = 1; ; k++) {
            try {
                s = new Socket();
                s.connect(new InetSocketAddress(drv, port), 4000);
                break;
            } catch (IOException e) {
                if (k == 10) {
                    Log.error("CoarseGrainedExecutorBackend", "Cannot register with driver: spark://CoarseGrainedScheduler@%s:%d\n%s", drv, port, Log.trace(e));
                    exit(1, "Unable to create executor due to Failed to connect to " + drv + ":" + port);
                }
                Log.info("TransportClientFactory", "Failed to connect to %s:%d (%s), attempt %d of 10", drv, port, e.getMessage(), k);
                Thread.sleep(1000);
            }
        }
        s.setTcpNoDelay(true);
        out = new ObjectOutputStream(s.getOutputStream());
        Msg m = new Msg("register");
        m.ports = new int[] {7337 + id};
        send(m);
        Log.info("CoarseGrainedExecutorBackend", "Successfully registered with driver %s:%d, executor %d", drv, port, id);
        Thread beat = new Thread(() -> {
            while (true) {
                try { Thread.sleep(1000); send(new Msg("heartbeat")); }
                catch (IOException e) { Log.warn("Executor", "Issue communicating with driver in heartbeater: %s", e); }
                catch (InterruptedException e) { return; }
            }
        }, "driver-heartbeater");
        beat.setDaemon(true);
        beat.start();
        ExecutorService pool = Executors.newSingleThreadExecutor(r -> { Thread t = new Thread(r, "Executor task launch worker"); t.setDaemon(true); return t; });
        try (ObjectInputStream in = new ObjectInputStream(s.getInputStream())) {
            while (true) {
                Msg t = (Msg) in.readObject();
                if (t.kind.equals("stop")) {
                    Log.info("CoarseGrainedExecutorBackend", "Driver commanded a shutdown");
                    Log.info("MemoryStore", "MemoryStore cleared");
                    mark("done", at, "-");
                    Runtime.getRuntime().halt(0);
                }
                if (t.kind.equals("cancel")) Log.info("Executor", "Executor is trying to kill running tasks, reason: Stage cancelled");
                else pool.submit(() -> task(t));
            }
        } catch (IOException e) {
            Log.error("YarnCoarseGrainedExecutorBackend", "Connection to driver lost: %s", e);
            exit(1, "Driver " + drv + ":" + port + " disassociated! Shutting down.");
        }
    }

    public static void main(String[] a) throws Exception {
        sun.misc.Signal.handle(new sun.misc.Signal("TERM"), s -> { Log.error("CoarseGrainedExecutorBackend", "RECEIVED SIGNAL TERM"); Runtime.getRuntime().halt(143); });
        Log.info("CoarseGrainedExecutorBackend", "Started daemon with process name: %d@%s, Lynx %s, Java %s", ProcessHandle.current().pid(), java.net.InetAddress.getLocalHost().getHostName(), VERSION, System.getProperty("java.version"));
        try { System.loadLibrary("jmkl"); }
        catch (UnsatisfiedLinkError e) {
            if (Math.floorMod(ProcessHandle.current().pid(), 2) == 0) Log.error("MKL", "Failed to load native library\n%s", Log.trace(e));
            else Log.warn("MKL", "Failed to load native library: %s", e.getMessage());
        }
        new Executor().run();
    }
}
