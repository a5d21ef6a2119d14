package dev.sluice.lab.corridor;

import dev.sluice.lab.kit.Workers;
import dev.sluice.lab.load.RuleLoad;
import java.util.concurrent.TimeUnit;

/**
 * Changer of rules at a rate: random rules go and come back, in a thread of its own. In the end all
 * are back.
 */
final class RuleChanger implements AutoCloseable {
    private static final long REST_NANOS = 200_000;

    private final Workers workers = new Workers("rules cannot be changed");
    private final RuleLoad rules;
    private final long start = System.nanoTime();
    private long changed;
    private double perSecond;

    /**
     * Begins to change rules.
     *
     * @param rules publishes to the topic of the rules; nobody else does meanwhile
     * @param size rules of a transaction
     * @param perSecond rules a second
     */
    RuleChanger(RuleLoad rules, int size, double perSecond) {
        this.rules = rules;
        workers.start("corridor bench", () -> change(size, perSecond));
    }

    private void change(int size, double rate) throws InterruptedException {
        long asked = 0;
        while (!workers.stopped()) {
            long due = (long) ((System.nanoTime() - start) / 1e9 * rate) - asked;
            if (due < size) {
                TimeUnit.NANOSECONDS.sleep(REST_NANOS);
                continue;
            }
            asked += size;
            changed += rules.change(size);
        }
    }

    /** Ends the changes, and returns how many rules went or came back a second. */
    double end() throws InterruptedException {
        workers.stop();
        if (perSecond == 0) {
            perSecond = changed / ((System.nanoTime() - start) / 1e9);
        }
        return perSecond;
    }

    @Override
    public void close() {
        workers.close();
        rules.settle();
        var unused = rules.takeCommits(); // else those of all runs are kept
    }
}
