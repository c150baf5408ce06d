package lynx;

import java.io.IOException;
import java.io.InvalidClassException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Drives the iterations: two stages each, a task on every executor in a stage, all at once. */
public final class Driver {
    static final class JobAbortedException extends Exception {
        JobAbortedException(String m) { super(m); }
    }

    private static final class Ex {
        Msg reg;
        Socket s;
        ObjectOutputStream out;
        volatile long seen = System.nanoTime();
        volatile boolean lost;
    }

    private final Conf c = new Conf();
    private final int n = c.num("executors");
    private final Map<Integer, Ex> executors = new TreeMap<>();
    private final BlockingQueue<Msg> events = new LinkedBlockingQueue<>();
    private final long start = System.nanoTime();
    private int stage = -1, attempt = 1;
    private long tid;

    Driver() throws IOException {}

    private void send(Ex e, Msg m) {
        try {
            synchronized (e) { e.out.reset(); e.out.writeObject(m); e.out.flush(); }
        } catch (IOException x) {
            Log.warn("NettyRpcEnv", "Ignored failure of sending %s to executor %d: %s", m.kind, e.reg.executor, x);
        }
    }

    private void listen() throws IOException {
        ServerSocket srv = new ServerSocket(c.num("driver.port"));
        Log.info("Utils", "Successfully started service 'driverRpc' on port %d.", c.num("driver.port"));
        daemon("dispatcher-accept", () -> {
            try { while (true) { Socket s = srv.accept(); daemon("dispatcher-event-loop", () -> serve(s)); } }
            catch (IOException e) { Log.error("NettyRpcEnv", "%s", e); }
        });
        daemon("heartbeat-receiver", this::watch);
    }

    private static void daemon(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
    }

    private void serve(Socket s) {
        Ex e = new Ex();
        e.s = s;
        try {
            s.setTcpNoDelay(true);
            e.out = new ObjectOutputStream(s.getOutputStream());
            e.out.flush();
            ObjectInputStream in = new ObjectInputStream(s.getInputStream());
            while (true) {
                Msg m = (Msg) in.readObject();
                e.seen = System.nanoTime();
                switch (m.kind) {
                    case "register" -> {
                        e.reg = m;
                        synchronized (executors) { executors.put(m.executor, e); executors.notifyAll(); }
                        Log.info("YarnSchedulerBackend$YarnDriverEndpoint", "Registered executor NettyRpcEndpointRef(spark-client://Executor) (%s:%d) with ID %d", s.getInetAddress().getHostAddress(), s.getPort(), m.executor);
                    }
                    case "heartbeat" -> { }
                    default -> events.add(m);
                }
            }
        } catch (InvalidClassException x) {
            Log.error("TransportRequestHandler", "Error while invoking RpcHandler#receive() for one-way message from %s\n%s", s.getRemoteSocketAddress(), Log.trace(x));
        } catch (IOException | ClassNotFoundException x) {
            if (e.reg != null && !e.lost) gone(e, "Remote RPC client disassociated. Likely due to containers exceeding thresholds, or network issues. Check driver logs for WARN messages.");
        }
        try { s.close(); } catch (IOException x) { Log.info("NettyRpcEnv", "%s", x); }
    }

    private void gone(Ex e, String why) {
        e.lost = true;
        synchronized (executors) { executors.remove(e.reg.executor, e); }
        if (stopping) return;
        Log.error("YarnScheduler", "Lost executor %d on %s: %s", e.reg.executor, e.reg.host, why);
        Msg m = new Msg("lost");
        m.executor = e.reg.executor;
        m.host = e.reg.host;
        m.text = "ExecutorLostFailure (executor " + m.executor + " exited unrelated to the running tasks) Reason: " + why;
        events.add(m);
    }

    private void watch() {
        while (true) {
            try { Thread.sleep(500); } catch (InterruptedException e) { return; }
            Ex[] all;
            synchronized (executors) { all = executors.values().toArray(Ex[]::new); }
            for (Ex e : all) {
                long ms = (System.nanoTime() - e.seen) / 1_000_000;
                if (ms > c.num("heartbeat.timeout.ms") && !e.lost) {
                    Log.warn("HeartbeatReceiver", "Removing executor %d with no recent heartbeats: %d ms exceeds timeout %d ms", e.reg.executor, ms, c.num("heartbeat.timeout.ms"));
                    gone(e, "Executor heartbeat timed out after " + ms + " ms");
                }
            }
        }
    }

    private void awaitExecutors() throws InterruptedException, JobAbortedException {
        long end = System.nanoTime() + c.num("register.wait.s") * 1_000_000_000L, told = System.nanoTime() + 8_000_000_000L;
        synchronized (executors) {
            while (executors.size() < n) {
                if (System.nanoTime() > told) {
                    Log.warn("YarnScheduler", "Initial job has not accepted any resources; check your cluster UI to ensure that workers are registered and have sufficient resources");
                    told += 8_000_000_000L;
                }
                if (System.nanoTime() > end) throw new JobAbortedException("Barrier stage requires " + n + " executors, registered within " + c.num("register.wait.s") + " s: " + executors.keySet());
                executors.wait(200);
            }
            Log.info("YarnSchedulerBackend", "SchedulerBackend is ready for scheduling: %d of %d executors", executors.size(), n);
        }
    }

    /** Runs a task on every executor; the sum of x and y. */
    private double[] stage(String kind, int iteration) throws JobAbortedException, InterruptedException {
        stage++;
        Ex[] all;
        synchronized (executors) { all = executors.values().toArray(Ex[]::new); }
        String[] hosts = new String[n];
        int[] ports = new int[n];
        for (Ex e : all) { hosts[e.reg.executor] = e.reg.host; ports[e.reg.executor] = e.reg.ports[0]; }
        if (!kind.equals("gradients") && !kind.equals("update")) Log.info("DAGScheduler", "Submitting %d tasks from ResultStage %d (%s at DistriOptimizer)", n, stage, kind);
        long first = tid;
        Map<Integer, Boolean> open = new TreeMap<>();
        for (int k = 0; k < n; k++) open.put(k, true);
        String abort = null;
        long end = 0;
        int dup = 0;
        for (Ex e : all) {
            Msg m = new Msg(kind);
            m.executor = e.reg.executor;
            m.iteration = iteration;
            m.stage = stage;
            m.attempt = attempt;
            m.tid = first + e.reg.executor;
            m.hosts = hosts;
            m.ports = ports;
            send(e, m);
        }
        tid += n;
        if (all.length < n) { abort = "Barrier stage " + stage + " needs " + n + " executors, " + all.length + " are left"; end = System.nanoTime(); }
        double x = 0, y = 0;
        while (!open.isEmpty()) {
            Msg m = events.poll(200, TimeUnit.MILLISECONDS);
            if (abort != null && System.nanoTime() > end) break;
            if (m == null) continue;
            if (m.kind.equals("finished") && m.stage == stage) { open.remove(m.executor); x += m.x; y += m.y; continue; }
            if (m.kind.equals("failed") && m.stage != stage || m.kind.equals("finished")) continue;
            if (open.remove(m.executor) == null) continue;
            long t = first + m.executor;
            String head = m.text.split("\n")[0];
            if (abort != null && m.kind.equals("failed")) Log.info("TaskSetManager", "Lost task %d.0 in stage %d.0 (TID %d) on %s, executor %d: %s [duplicate %d]", m.executor, stage, t, m.host, m.executor, head, ++dup);
            else Log.warn("TaskSetManager", "Lost task %d.0 in stage %d.0 (TID %d) (%s executor %d): %s\n", m.executor, stage, t, m.host, m.executor, m.text);
            if (abort == null) {
                abort = "Job aborted due to stage failure: Could not recover from a failed barrier ResultStage. Most recent failure reason: Stage failed because barrier task ResultTask(" + stage + ", " + m.executor + ") finished unsuccessfully. " + m.text;
                end = System.nanoTime() + 2_000_000_000L;
            }
        }
        if (abort == null) return new double[] {x, y};
        Log.info("YarnScheduler", "Cancelling stage %d", stage);
        throw new JobAbortedException(abort);
    }

    private int snapshot() throws IOException {
        Path p = Path.of(c.get("ckpt.dir"));
        int at = 0;
        try (var d = Files.list(p)) {
            for (Path f : (Iterable<Path>) d::iterator) if (Files.exists(f.resolve("_SUCCESS"))) at = Math.max(at, Integer.parseInt(f.getFileName().toString().substring(6)));
        }
        return at;
    }

    private void optimize() throws Exception {
        int at = snapshot(), steps = c.num("iterations"), batch = c.num("batch"), size = c.num("epoch.records");
        if (at > 0) Log.info("DistriOptimizer", "Recover from last snapshot model.%d", at);
        stage("initThreadModels", at);
        for (int it = at + 1; it <= steps; it++) {
            long t = System.nanoTime();
            double[] r = stage("gradients", it);
            stage("update", it);
            double took = (System.nanoTime() - t) / 1e9;
            double loss = r[0] / n;
            if (it % c.num("log.every") == 0)
                Log.info("DistriOptimizer", "[Epoch %d %d/%d][Iteration %d][Wall Clock %.3fs] Trained %d records in %.3f seconds. Throughput is %.1f records/second. Loss is %.4f.",
                    (long) (it - 1) * batch * n / size + 1, (long) it * batch * n % size, size, it, (System.nanoTime() - start) / 1e9, batch * n, took, batch * n / took, loss);
            if (took > c.real("slow.s")) Log.warn("DistriOptimizer", "Iteration %d took %.2f s, the slowest task's computing %.2f s", it, took, r[1] / n);
            if (Double.isNaN(loss)) throw new ArithmeticException("Loss is NaN at iteration " + it);
            if (it % 16 == 5) Metrics.report(c.get("hub"), it % 32 == 5);
            if (it % c.num("eval.every") == 0) {
                double[] v = stage("validate", it);
                Log.info("DistriOptimizer", "[Iteration %d] Top1Accuracy is Accuracy(correct: %.0f, count: %.0f, accuracy: %.4f)", it, v[0], v[1], v[0] / v[1]);
            }
            if (it % c.num("save.every") == 0) {
                stage("saveModel", it);
                Files.createFile(Path.of(c.get("ckpt.dir"), "model." + it, "_SUCCESS"));
                Log.info("DistriOptimizer", "[Iteration %d] Save model to %s/model.%d", it, c.get("ckpt.dir"), it);
                Metrics.events(c.get("hub"), it);
            }
        }
    }

    private void stopAll() {
        stopping = true;
        Log.info("YarnClusterSchedulerBackend", "Shutting down all executors");
        synchronized (executors) { for (Ex e : executors.values()) send(e, new Msg("stop")); }
    }
    private volatile boolean stopping;

    private int run() throws Exception {
        Log.info("SparkContext", "Running Lynx version %s on %s, %d executors", Executor.VERSION, java.net.InetAddress.getLocalHost().getHostName(), n);
        Log.warn("NativeCodeLoader", "Unable to load native-hadoop library for your platform... using builtin-java classes where applicable");
        sun.misc.Signal.handle(new sun.misc.Signal("TERM"), s -> { Log.error("ApplicationMaster", "RECEIVED SIGNAL TERM"); Log.info("ShutdownHookManager", "Shutdown hook called"); Runtime.getRuntime().halt(143); });
        listen();
        int retries = c.num("failure.retries");
        for (; ; attempt++) {
            try {
                awaitExecutors();
                optimize();
                stopAll();
                Thread.sleep(400);
                Log.info("SparkContext", "Successfully stopped SparkContext");
                return 0;
            } catch (Exception e) {
                if (attempt <= retries) {
                    Log.error("DistriOptimizer", "Error: %s", Log.trace(e));
                    Log.info("DistriOptimizer", "Retrying %d times", attempt);
                    synchronized (executors) { for (Ex x : executors.values()) send(x, new Msg("cancel")); }
                    Thread.sleep(c.num("retry.wait.ms"));
                    events.clear();
                    continue;
                }
                Log.error("ApplicationMaster", "User class threw exception: %s", Log.trace(e));
                Log.info("ApplicationMaster", "Final app status: FAILED, exitCode: 15, (reason: User class threw exception: %s)", e.toString().split("\n")[0]);
                stopAll();
                Thread.sleep(400);
                return 15;
            }
        }
    }

    public static void main(String[] a) throws Exception {
        int rc = new Driver().run();
        Log.info("ShutdownHookManager", "Shutdown hook called");
        Runtime.getRuntime().halt(rc);
    }
}
