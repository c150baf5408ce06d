package lynx;

import java.io.Serializable;

/** What drivers and executors tell each other. */
final class Msg implements Serializable {
    private static final long serialVersionUID = 4L;
    final String kind;
    int executor, iteration, stage, attempt;
    long tid;
    double x, y;
    String text, host;
    int[] ports;
    String[] hosts;

    Msg(String kind) { this.kind = kind; }
}
