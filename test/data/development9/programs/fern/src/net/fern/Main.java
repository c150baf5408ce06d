package net.fern;

import java.io.*;
import java.net.*;
import java.nio.file.*;
import java.util.*;

public final class Main {
    private static final Log log = new Log(Main.class);

    static void backend() {
        try { System.loadLibrary("fern_blas"); }
        catch (UnsatisfiedLinkError e) { log.warn(e, "Could not load native BLAS, falling back to pure Java kernels"); }
    }

    static void publish(Conf c, int it, double score) {
        String[] a = c.str("stats.target").split(":");
        try (Socket s = new Socket()) { s.connect(new InetSocketAddress(a[0], Integer.parseInt(a[1])), 800); s.getOutputStream().write(("score " + score).getBytes()); }
        catch (IOException e) {
            if (it % 30 < 8) log.warn(e, "stats for iteration %d not delivered to %s", it, c.str("stats.target"));
            else log.warn("stats for iteration %d not delivered to %s: %s", it, c.str("stats.target"), e.getMessage());
        }
    }

    static double evaluate(Conf c, Model m, byte[][] rows, Tree tree, int it) throws Exception {
        float[] loss = { (float) m.forwardBackward(rows, false) };
        float[] mean = tree.mean(loss, it);
        return mean[0];
    }

    static String build() throws IOException { return Files.readString(Path.of("/workspace/BUILD")).trim(); }

    static double rate(Conf c, int it) {
        double lr = c.real("updater.rate");
        for (String s : c.str("updater.schedule").split(",")) if (s.contains(":") && it >= Integer.parseInt(s.split(":")[0])) lr = Double.parseDouble(s.split(":")[1]);
        return lr;
    }

    static void train(Conf c) throws Exception {
        String build = build();
        log.info("fern %s, pid %d, rank %d of %d on %s, %s %s, %d MB heap", build, ProcessHandle.current().pid(), c.rank, c.world, Conf.host(),
            System.getProperty("java.vm.name"), System.getProperty("java.version"), Runtime.getRuntime().maxMemory() >> 20);
        Conf.mark(c.rank, "init", 0, "start");
        backend();
        Tree tree = new Tree(c, build);
        Conf.mark(c.rank, "model", 0, "build");
        List<String> symbols = Files.readAllLines(Path.of(c.str("vocab.file")));
        Model m = new Model(symbols.size(), c.num("network.hidden"), c.str("updater.name"), c.num("seed"));
        log.info("Network: %d symbols, %d parameters, updater %s, rate %s", symbols.size(), m.w.length, c.str("updater.name"), c.str("updater.rate"));
        Snapshots snaps = new Snapshots(c);
        int it = snaps.restore(m);
        Conf.mark(c.rank, "data", it, "open");
        Records data = new Records(c);
        Random noise = new Random(c.rank * 77 + c.num("seed"));
        List<float[]> history = new ArrayList<>();
        int last = c.num("iterations"), per = c.num("epoch.iterations"), report = c.rank == 0 ? 1 : 5;
        byte[][] held = data.next(0);
        long tick = System.nanoTime();
        while (it < last) {
            it++;
            if ((it - 1) % per == 0) log.info("Starting epoch %d", (it - 1) / per);
            Conf.mark(c.rank, "iter", it, "etl");
            long t0 = System.nanoTime();
            byte[][] rows = data.next(it);
            long t1 = System.nanoTime();
            Conf.mark(c.rank, "iter", it, "forward");
            double score = m.forwardBackward(rows, true);
            Thread.sleep(c.num("pad.ms") + noise.nextInt(40));
            Conf.mark(c.rank, "iter", it, "aggregate");
            float[] msg = Arrays.copyOf(m.g, m.g.length + 1); msg[m.g.length] = (float) score;
            long t2 = System.nanoTime();
            float[] mean = tree.mean(msg, it);
            long t3 = System.nanoTime();
            double all = mean[m.g.length];
            if (Double.isNaN(all) || Double.isInfinite(all)) throw new ArithmeticException("score is " + all + " at iteration " + it);
            if (it > 1 && rate(c, it) != rate(c, it - 1)) log.info("updater rate %s -> %s", rate(c, it - 1), rate(c, it));
            m.update(mean, rate(c, it));
            Conf.mark(c.rank, "iter", it, "report");
            long now = System.nanoTime();
            if (it % report == 0) {
                if (c.rank == 0) log.info("Score at iteration %d is %.5f (etl %d ms, aggregate %d ms, %.1f rows/s)", it, all, (t1 - t0) / 1000000, (t3 - t2) / 1000000, rows.length * c.world / ((now - tick) / 1e9));
                else log.debug("iteration %d done: local score %.5f, etl %d ms, aggregate %d ms", it, score, (t1 - t0) / 1000000, (t3 - t2) / 1000000);
            }
            if ((now - tick) / 1000000 > c.num("slow.ms")) log.warn("iteration %d took %d ms", it, (now - tick) / 1000000);
            tick = now;
            if (it % 10 == 3 + c.rank % 5) publish(c, it, all);
            if (it % c.num("save.every") == 0) { Conf.mark(c.rank, "iter", it, "save"); snaps.save(m, it); }
            if (it % c.num("eval.every") == 0) {
                Conf.mark(c.rank, "iter", it, "eval");
                double e = evaluate(c, m, held, tree, it);
                if (c.rank == 0) log.info("Evaluation after iteration %d: held-out score %.5f, perplexity %.2f", it, e, Math.exp(e));
            }
        }
        tree.close();
        log.info("Training finished after %d iterations", it);
        Conf.mark(c.rank, "end", it, "end");
    }

    public static void main(String[] a) throws Exception {
        Conf c = new Conf(a.length > 0 ? a[0] : "/workspace/fern.properties");
        try { train(c); }
        catch (Throwable e) {
            log.error(e, "Training aborted on rank %d", c.rank);
            System.exit(e instanceof Error ? 3 : 1);
        }
        System.exit(0);
    }
}
