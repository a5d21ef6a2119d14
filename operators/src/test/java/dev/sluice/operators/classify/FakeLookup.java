package dev.sluice.operators.classify;

import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.StagedHeaders;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.operators.rules.serving.HeldRules;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A device that a test looks into. It has three rules, on ports 0 to 2; port 3 matches none. The
 * verdicts of a batch are written when they are waited for, and not before.
 */
final class FakeLookup extends HeldRules {
    /** Batches of device memory that {@link #stage} may hand out; 0: headers go by the heap. */
    int stages;

    /** Number of a submit, from 1, that fails at once; 0: none. */
    int failingSubmit;

    /** Number of a submit, from 1, whose verdicts fail; 0: none. */
    int failingAwait;

    /** Headers of each batch that was submitted. */
    final List<Integer> submitted = new ArrayList<>();

    /** Numbers of the batches whose verdicts were waited for, in that order. */
    final List<Integer> awaited = new ArrayList<>();

    /** The memory that the last batch had for its verdicts. */
    VerdictBatch lastVerdicts;

    /** Batches that the device takes at once, of those without its memory. */
    int room = Integer.MAX_VALUE;

    int underWay;
    int mostUnderWay;
    int staged;
    int dropped;
    int rests;

    FakeLookup(long version) {
        this(onPorts(version));
    }

    /** Rule at position p: id 100 + p, port p. */
    private static RuleSet onPorts(long version) {
        List<Rule> byPort = new ArrayList<>();
        for (int port = 0; port < 3; port++) {
            byPort.add(
                    new Rule(
                            100 + port,
                            9 - port,
                            new Match.Builder().field(Field.DST_PORT, port).build(),
                            "to " + port,
                            port + 1));
        }
        return RuleSet.of("set", version, "drop", byPort);
    }

    /** A device with other rules, of which a verdict names the one at its position. */
    FakeLookup(RuleSet rules) {
        super(rules);
    }

    /** The verdict on a packet: the id of its rule, or -1. */
    static long ruleOf(long packet) {
        return packet % 4 == 3 ? -1 : 100 + packet % 4;
    }

    @Override
    public StagedHeaders stage(int headers) {
        assertFalse(isClosed());
        if (stages == 0) {
            return null;
        }
        stages--;
        staged++;
        IntBuffer words = IntBuffer.allocate(headers);
        return new StagedHeaders() {
            @Override
            public IntBuffer words() {
                return words;
            }

            @Override
            public int stride() {
                return headers;
            }

            @Override
            public PendingVerdicts submit(int count, HeaderBatch spare, VerdictBatch verdicts) {
                stages++;
                return start(words, count, verdicts);
            }

            @Override
            public void drop() {
                stages++;
                dropped++;
            }
        };
    }

    @Override
    public boolean isDeviceFull() {
        return underWay >= room;
    }

    @Override
    public PendingVerdicts submit(HeaderBatch headers, VerdictBatch verdicts) {
        return start(IntBuffer.wrap(headers.words()), headers.size(), verdicts);
    }

    private PendingVerdicts start(IntBuffer ports, int count, VerdictBatch verdicts) {
        assertFalse(isClosed(), "a batch goes to rules that are closed");
        submitted.add(count);
        lastVerdicts = verdicts;
        int number = submitted.size();
        if (number == failingSubmit) {
            throw new IllegalArgumentException("submit " + number);
        }
        mostUnderWay = Math.max(mostUnderWay, ++underWay);
        return () -> {
            awaited.add(number);
            underWay--;
            if (number == failingAwait) {
                throw new IllegalArgumentException("await " + number);
            }
            for (int i = 0; i < count; i++) {
                int port = ports.get(i) & 0xffff;
                verdicts.rules()[i] = port == 3 ? VerdictBatch.MISS : port;
            }
        };
    }

    @Override
    public void rest() {
        rests++;
    }
}
