package dev.sluice.job.lab.corridor;

import dev.sluice.job.SluiceException;
import dev.sluice.job.lab.backend.Classified;
import dev.sluice.job.lab.load.RuleLoad;
import dev.sluice.schemas.codec.MalformedMessageException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Another contender, whose rules change while it runs: single rules go and come back at a rate, in
 * a transaction each as long as the broker keeps up, else in as few as it takes. In the end all are
 * back.
 */
final class ChangingContender implements Contender {
    /** Most rules of a transaction. */
    private static final int MOST = 1_000;

    private static final long REST_NANOS = 200_000;

    private final Contender job;
    private final RuleLoad rules;
    private final double rate;
    private volatile double made;
    private volatile @Nullable RuntimeException failure;

    /**
     * A contender.
     *
     * @param rules publishes to the topic of its rules; nobody else does while it runs
     * @param rate rules a second
     */
    ChangingContender(Contender job, RuleLoad rules, double rate) {
        this.job = job;
        this.rules = rules;
        this.rate = rate;
    }

    @Override
    public String name() {
        return "changing";
    }

    /**
     * Rules that went or came back a second in the last run that has ended.
     *
     * @throws SluiceException if some could not
     */
    double changesPerSecond() {
        requireChanging();
        return made;
    }

    private void requireChanging() {
        RuntimeException e = failure;
        if (e != null) {
            throw new SluiceException("rules cannot be changed: " + e.getMessage(), e);
        }
    }

    @Override
    public Running start(Track track) throws Exception {
        return new Changing(job.start(track));
    }

    @Override
    public int headers(byte[] message) throws MalformedMessageException {
        return job.headers(message);
    }

    private final class Changing implements Running {
        private final Running running;
        private final Thread thread = new Thread(this::change, ThreadGroups.BENCH_THREAD);
        private volatile boolean closed;

        Changing(Running running) {
            this.running = running;
            thread.setDaemon(true);
            thread.start();
        }

        private void change() {
            long start = System.nanoTime();
            long asked = 0;
            long changed = 0;
            try {
                while (!closed) {
                    double seconds = (System.nanoTime() - start) / 1e9;
                    long due = (long) (seconds * rate) - asked;
                    if (due <= 0) {
                        TimeUnit.NANOSECONDS.sleep(REST_NANOS);
                        continue;
                    }
                    int now = (int) Math.min(due, MOST);
                    asked += now;
                    changed += rules.change(now);
                }
                made = changed / ((System.nanoTime() - start) / 1e9);
                rules.settle();
                var unused = rules.takeCommits(); // else those of all runs are kept
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (RuntimeException e) {
                failure = e;
            }
        }

        @Override
        public void requireRunning() throws InterruptedException {
            running.requireRunning();
            requireChanging();
        }

        @Override
        public @Nullable Classified classified(long headers) throws InterruptedException {
            return running.classified(headers);
        }

        @Override
        public void close() {
            closed = true;
            Threads.join(List.of(thread));
            running.close();
        }
    }
}
