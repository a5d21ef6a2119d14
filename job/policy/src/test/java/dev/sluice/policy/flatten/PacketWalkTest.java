package dev.sluice.policy.flatten;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.flatten.FlatPolicy.Answer;
import dev.sluice.policy.flatten.PacketWalk.Reading;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.testing.RandomPolicies;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PacketWalkTest {
    private static final int POLICIES = 300;
    private static final int PACKETS = 40;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void walkEndsAsLookUpsAnswer(boolean marks) {
        int depends = 0;
        int open = 0;
        int sure = 0;
        for (int seed = 0; seed < POLICIES; seed++) {
            RandomPolicies draw = new RandomPolicies(seed);
            draw = marks ? draw.withMarks() : draw;
            Policy policy = draw.policy(seed % 4);
            Assumptions assumed =
                    new Assumptions(
                            seed % 4 == 0 ? null : ConnectionState.NEW,
                            seed % 5 == 0 ? null : "eth0",
                            seed % 3 == 0 ? null : "eth1");
            FlatPolicy flat = FlatPolicy.of(policy, assumed);
            for (int i = 0; i < PACKETS; i++) {
                int[] header = draw.header();
                String packet = "seed " + seed + " packet " + i;
                Answer answer = Objects.requireNonNull(flat.judge(header));
                List<Reading> readings =
                        PacketWalk.inWorlds(List.of(policy), flat, assumed, header);
                Outcome walked = outcome(readings);
                if (answer.outcome() == Outcome.DEPENDS && walked != Outcome.DEPENDS) {
                    open++; // a condition that is true whatever else is unknown
                    continue;
                }
                assertEquals(answer.outcome(), walked, packet);
                depends += walked == Outcome.DEPENDS ? 1 : 0;
                if (answer.sure() && readings.size() <= Math.max(1, flat.worlds(policy).size())) {
                    for (Reading reading : readings) {
                        List<PacketWalk.Passage> passages = reading.passages();
                        PacketWalk.Passage last = passages.get(passages.size() - 1);
                        assertSame(answer.rule(), last.lower(), packet);
                        assertSame(answer.rule(), last.upper(), packet);
                    }
                    sure++;
                }
            }
        }
        assertTrue(depends > POLICIES * PACKETS / 25, depends + " packets depend");
        assertTrue(sure > POLICIES * PACKETS / 3, sure + " packets are sure");
        assertTrue(open < POLICIES * PACKETS / 100, open + " packets depend without need");
    }

    /** The outcome that readings leave. */
    static Outcome outcome(List<Reading> readings) {
        boolean passes = false;
        boolean fails = false;
        for (Reading reading : readings) {
            passes |= Boolean.TRUE.equals(reading.upper());
            fails |= Boolean.FALSE.equals(reading.lower());
        }
        return passes && fails ? Outcome.DEPENDS : passes ? Outcome.PERMIT : Outcome.DENY;
    }
}
