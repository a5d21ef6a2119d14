package dev.sluice.lab.soak;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Faults that a seed draws, without an end: the same seed gives the same ones. Of each ten in a row
 * three hit a TaskManager at work, two one at a commit, two the JobManager, one the broker and two
 * the publisher of rules, in an order that is drawn. They come in bursts: behind half of the faults
 * the next one strikes before the job is back.
 */
final class FaultPlan {
    private static final List<Fault> ROUND =
            List.of(
                    Fault.TASK_MANAGER,
                    Fault.TASK_MANAGER,
                    Fault.TASK_MANAGER,
                    Fault.COMMIT,
                    Fault.COMMIT,
                    Fault.JOB_MANAGER,
                    Fault.JOB_MANAGER,
                    Fault.BROKER,
                    Fault.PUBLISHER,
                    Fault.PUBLISHER);

    private static final int MOST_DELAY_MILLIS = 1_500;
    private static final int MOST_COMMIT_DELAY_MICROS = 20_000;
    private static final int MOST_DOWN_MILLIS = 1_000;
    private static final int LEAST_BROKER_DOWN_MILLIS = 500;
    private static final int MOST_BROKER_DOWN_MILLIS = 6_000;

    private final Random random;
    private final List<Fault> round = new ArrayList<>();

    /**
     * A fault to come.
     *
     * @param which number that chooses among the processes of its kind; 0 or more
     * @param delayMicros behind the checkpoint that a burst waits for, or the fault before it
     * @param downMillis how long the process is away before it is started again
     */
    record Planned(Fault fault, int which, int delayMicros, int downMillis) {}

    FaultPlan(long seed) {
        random = new Random(seed);
    }

    /** The next burst. One that hits a commit hits it first, as the job must be at work. */
    List<Planned> next() {
        List<Planned> burst = new ArrayList<>();
        do {
            burst.add(draw());
        } while (random.nextBoolean() && upcoming() != Fault.COMMIT);
        return burst;
    }

    private Fault upcoming() {
        if (round.isEmpty()) {
            round.addAll(ROUND);
            Collections.shuffle(round, random);
        }
        return round.get(round.size() - 1);
    }

    private Planned draw() {
        Fault fault = upcoming();
        round.remove(round.size() - 1);
        int which = random.nextInt(Integer.MAX_VALUE);
        int delay =
                fault == Fault.COMMIT
                        ? random.nextInt(MOST_COMMIT_DELAY_MICROS)
                        : 1_000 * random.nextInt(MOST_DELAY_MILLIS);
        int down =
                fault == Fault.BROKER
                        ? random.nextInt(LEAST_BROKER_DOWN_MILLIS, MOST_BROKER_DOWN_MILLIS)
                        : random.nextInt(MOST_DOWN_MILLIS);
        return new Planned(fault, which, delay, down);
    }
}
