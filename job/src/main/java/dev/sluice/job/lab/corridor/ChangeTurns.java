package dev.sluice.job.lab.corridor;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * The job's runs with rules that change and without, in turns.
 *
 * @param asked rules that were to change, a second
 * @param turns in their order
 */
record ChangeTurns(double asked, List<Turn> turns) {
    /** Runs of either kind, beside the job's first. */
    private static final int ROUNDS = 2;

    /**
     * One run.
     *
     * @param perSecond rules that changed, a second; 0: none
     */
    record Turn(double perSecond, Heat heat) {}

    /**
     * Measures them.
     *
     * @param own the job's first run, without changes
     */
    static ChangeTurns measure(
            double rate,
            Heat own,
            Contender job,
            ChangingContender changing,
            HeatBench heats,
            CorridorTopics.Filled blocks)
            throws Exception {
        List<Turn> turns = new ArrayList<>();
        turns.add(new Turn(0, own));
        for (int round = 1; round <= ROUNDS; round++) {
            Heat heat = heats.run(changing, "-" + round, blocks);
            turns.add(new Turn(changing.changesPerSecond(), heat));
            turns.add(new Turn(0, heats.run(job, "-" + round, blocks)));
        }
        return new ChangeTurns(rate, turns);
    }

    /** Mean rate with changes, as a share of that without. */
    double kept() {
        return mean(true) / mean(false);
    }

    private double mean(boolean changing) {
        return turns.stream()
                .filter(turn -> turn.perSecond > 0 == changing)
                .mapToDouble(turn -> turn.heat.steadyRate())
                .average()
                .orElseThrow();
    }

    void describe(ObjectNode node) {
        node.put("asked", asked);
        node.put("kept", kept());
        ArrayNode runs = node.putArray("runs");
        for (Turn turn : turns) {
            ObjectNode run = runs.addObject();
            run.put("changesPerSecond", turn.perSecond);
            turn.heat.describeRates(run);
            run.put("steadyCpuMicrosPerHeader", turn.heat.steadyCpuMicros());
            Usage.describe(
                    turn.heat.steady().cpuByGroup(),
                    turn.heat.steadyHeaders(),
                    run.putObject("steadyCpuNanosPerHeaderByGroup"));
        }
    }

    void print(PrintWriter out) {
        out.printf(
                "%n  %16s %14s %14s   (%.3f of the rate is kept)%n",
                "changes/s", "M headers/s", "ns CPU/header", kept());
        for (Turn turn : turns) {
            out.printf(
                    "  %,16.0f %14.2f %14.1f%n",
                    turn.perSecond,
                    turn.heat.steadyRate() / 1e6,
                    1e3 * turn.heat.steadyCpuMicros());
        }
    }
}
