package dev.sluice.job.lab.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuPool;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.RuleDelta;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.lab.generate.RuleGenerator;
import dev.sluice.job.lab.generate.RuleShape;
import dev.sluice.job.lab.sets.GeneratedSet;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Look-ups and updates that wait for each other. */
class UpdatesBesideTest {
    private static final double SHARE = 0.05;
    private static final int BATCH = 256;

    private static RuleSet rules(GeneratedSet set) {
        return UpdatesBeside.ranked(set.rules());
    }

    private static GeneratedSet set() {
        return GeneratedSet.generate(
                new RuleGenerator(
                        RuleShape.ACL, 300, 1, new RuleGenerator.MaskCounts(1, 1, 1, 5), 0.5),
                2_000,
                0.2,
                1);
    }

    private static ChangingRules open(UpdateBench.Way way, GeneratedSet set) {
        return ChangingRules.open(
                way,
                rules(set),
                Algorithm.of("merged-tuple"),
                EngineOptions.DEFAULTS.withGpu(GpuPool.Selection.OFF));
    }

    @ParameterizedTest
    @EnumSource(UpdateBench.Way.class)
    void bothMeetAtTheShareThatIsAskedForAndAllRulesAreBackAtTheEnd(UpdateBench.Way way) {
        GeneratedSet set = set();
        try (ChangingRules changing = open(way, set)) {
            UpdatesBeside.Result result =
                    new UpdatesBeside(rules(set), changing, set.trace(), BATCH, 2, SHARE, 7)
                            .measure(3, 200);
            // A round ends with two lists of seven at most that no header asked for.
            double share = result.updatesPerSecond() / (1e6 * result.besideMpps());
            assertEquals(SHARE, share, 0.4 * SHARE, () -> result.toString());
            assertTrue(result.aloneMpps() > 0, () -> result.toString());
            assertTrue(result.readersWaited() > 0 || result.writerWaited() > 0);
            assertEquals(0, result.wrong());
        }
    }

    @Test
    void rulesThatDoNotComeBackAreSeen() {
        GeneratedSet set = set();
        try (ChangingRules real = open(UpdateBench.Way.IN_PLACE, set);
                ChangingRules losing = new Losing(real, new AtomicLong())) {
            UpdatesBeside.Result result =
                    new UpdatesBeside(rules(set), losing, set.trace(), BATCH, 1, SHARE, 30)
                            .measure(1, 50);
            assertTrue(result.wrong() > 0, () -> result.toString());
        }
    }

    @Test
    void eachSideWaitsWhereItIsAhead() {
        MeetingPoint meeting = new MeetingPoint(0.5, 100);
        meeting.lookedUp(100);
        assertTrue(meeting.mayLookUp());
        meeting.lookedUp(20);
        assertFalse(meeting.mayLookUp());
        meeting.updated(10);
        assertTrue(meeting.mayLookUp());
        meeting.awaitReaders(() -> false);
        assertEquals(0, meeting.writerWaitedNanos());
        meeting.updated(51);
        AtomicLong asked = new AtomicLong();
        meeting.awaitReaders(() -> asked.incrementAndGet() > 3);
        assertTrue(meeting.writerWaitedNanos() > 0, "61 updates for 120 headers are too many");
        assertEquals(120, meeting.headers());
        assertEquals(61, meeting.updates());
    }

    /** Of all changes makes the first one, in which rules go. */
    private record Losing(ChangingRules rules, AtomicLong changes) implements ChangingRules {
        @Override
        public HeaderLayout layout() {
            return rules.layout();
        }

        @Override
        public void classify(HeaderBatch headers, VerdictBatch verdicts) {
            rules.classify(headers, verdicts);
        }

        @Override
        public void apply(RuleDelta delta) {
            if (changes.incrementAndGet() == 1) {
                rules.apply(delta);
            }
        }

        @Override
        public long[] ids(HeaderBatch headers) {
            return rules.ids(headers);
        }

        @Override
        public void close() {}
    }
}
