package dev.sluice.operators.connections;

import static dev.sluice.operators.connections.ConnectionTracker.ESTABLISHED;
import static dev.sluice.operators.connections.ConnectionTracker.NEW;
import static dev.sluice.operators.connections.ConnectionTracker.RELATED;
import static dev.sluice.operators.connections.ConnectionTracker.REPLY;
import static dev.sluice.operators.connections.ConnectionTracker.TRACKED;
import static dev.sluice.operators.connections.ConnectionTracker.UNKNOWN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.schemas.codec.VerdictOutcome;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random packets have the states of a reference that was written after AWS's documentation. */
class AwsConnectionsTest {
    private static final long SECOND = 1_000_000_000;
    private static final int ALL = NEW | ESTABLISHED | RELATED | REPLY | TRACKED;

    private static final long[] PAUSES = {
        1, SECOND, 29 * SECOND, 30 * SECOND, 31 * SECOND, 180 * SECOND, 179 * SECOND, 600 * SECOND
    };

    private static final int[] PROTOCOLS = {6, 6, 6, 6, 6, 17, 17, 17, 1, 58, 47, 136, 132, 50};

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void statesAreThoseOfTheReference(long seed) {
        Random random = TestSeed.random(seed);
        Connections connections = new Connections(TrackerOptions.AWS.withSeed(random.nextLong()));
        AwsReference reference = new AwsReference();
        List<String> story = new ArrayList<>();
        Map<Integer, Integer> seen = new TreeMap<>();
        PacketTuple tuple = new PacketTuple();
        PacketTuple inner = new PacketTuple();
        long time = SECOND;
        for (int i = 0; i < 60_000; i++) {
            if (random.nextInt(12) == 0) {
                time += PAUSES[random.nextInt(PAUSES.length)];
            }
            if (random.nextInt(4000) == 0) {
                time += 432_000 * SECOND - random.nextInt(2);
            }
            DrawnPacket packet = DrawnPacket.random(random, PROTOCOLS, 1 + i / 20_000, 1);
            boolean passes = random.nextInt(4) > 0;
            story.add(time + " " + packet + (passes ? " passes" : " is dropped"));
            int expected = reference.state(packet, time);
            DrawnPacket about = packet.embedded();
            int state =
                    connections.state(
                            packet.fill(tuple), about == null ? null : about.fill(inner), time);
            int told = state == UNKNOWN ? UNKNOWN : state & ALL;
            int from = Math.max(0, story.size() - 60);
            if (expected != told) {
                String last = String.join("\n", story.subList(from, story.size()));
                assertEquals(expected, told, last);
            }
            seen.merge(told, 1, Integer::sum);
            connections.decided(state, passes ? VerdictOutcome.PERMIT : VerdictOutcome.DENY);
            reference.decided(passes);
        }
        assertEquals(reference.refused, connections.counts().refused());
        for (int state :
                List.of(
                        UNKNOWN,
                        TRACKED | NEW,
                        TRACKED | ESTABLISHED,
                        TRACKED | ESTABLISHED | REPLY,
                        TRACKED | RELATED,
                        TRACKED | RELATED | REPLY)) {
            assertTrue(seen.getOrDefault(state, 0) > 10, state + " of " + seen);
        }
    }
}
