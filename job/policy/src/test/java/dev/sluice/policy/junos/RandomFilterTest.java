package dev.sluice.policy.junos;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.flatten.FlatPolicy;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sluice against a slow judge of the text, on random filters in both forms. */
final class RandomFilterTest {
    private static final int FILTERS = 400;
    private static final int PACKETS = 100;

    @TempDir Path folder;

    @Test
    void everyPacketIsDecidedAsThePagesSay() throws IOException {
        Random random = new Random(55);
        Set<FilterJudge.Mistake> missed = EnumSet.allOf(FilterJudge.Mistake.class);
        Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
        for (int seed = 0; seed < FILTERS; seed++) {
            RandomFilter filter = new RandomFilter(seed);
            String text = seed % 2 == 0 ? String.join("\n", filter.lines) : filter.braces();
            Path file = Files.writeString(folder.resolve("filter" + seed), text);
            FlatPolicy policy =
                    PolicyFile.read(
                                    file,
                                    new PolicyOptions(
                                            null, new Assumptions(null, null, null), false))
                            .flat();
            for (int i = 0; i < PACKETS; i++) {
                FilterPacket packet = FilterPacket.random(random);
                Outcome found = Objects.requireNonNull(policy.judge(packet.header())).outcome();
                String story = "%s\n%s".formatted(packet, text);
                assertEquals(judge(filter, FilterJudge.Mistake.NONE, packet), found, story);
                outcomes.merge(found, 1, Integer::sum);
                missed.removeIf(mistake -> judge(filter, mistake, packet) != found);
            }
        }
        assertEquals(EnumSet.of(FilterJudge.Mistake.NONE), missed);
        for (Outcome outcome : Outcome.values()) {
            assertTrue(outcomes.getOrDefault(outcome, 0) > FILTERS * PACKETS / 50, "" + outcomes);
        }
    }

    private static Outcome judge(
            RandomFilter filter, FilterJudge.Mistake mistake, FilterPacket packet) {
        Set<Boolean> fates = new FilterJudge(filter.lines, mistake).judge(packet);
        return fates.size() == 2
                ? Outcome.DEPENDS
                : fates.contains(true) ? Outcome.PERMIT : Outcome.DENY;
    }
}
