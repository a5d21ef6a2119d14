package dev.sluice.operators.connections;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.schemas.codec.VerdictOutcome;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Versions of rules in slots and images. */
class ReevaluationTest {
    private static final int OPEN = 500;
    private static final TrackerOptions PLAIN = TrackerOptions.LINUX;
    private static final TrackerOptions ANEW = PLAIN.withReevaluates(true);

    private final PacketTuple packet = new PacketTuple();

    private PacketTuple packet(int version, int i, boolean answers) {
        int[] one = {1, 2, 3, i};
        int[] two = {1, 2, 3, 1 << 20};
        if (version == 4) {
            packet.ipv4(answers ? two[3] : i, answers ? i : two[3], PacketTuple.UDP);
        } else {
            packet.ipv6(answers ? two : one, answers ? one : two, PacketTuple.UDP);
        }
        return answers ? packet.ports(53, 1000) : packet.ports(1000, 53);
    }

    private Connections opened(TrackerOptions options, long rules) {
        Connections connections = new Connections(options);
        connections.judgedBy(rules);
        for (int i = 0; i < 2 * OPEN; i++) {
            int state = connections.state(packet(i < OPEN ? 4 : 6, i, false), null, i);
            connections.decided(state, VerdictOutcome.PERMIT);
        }
        return connections;
    }

    private static TrackerImage through(TrackerImage image) throws IOException {
        List<PageImage> pages = new ArrayList<>();
        for (PageImage page : image.pages()) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            page.writeTo(new DataOutputStream(bytes));
            pages.add(
                    PageImage.readFrom(
                            new DataInputStream(new ByteArrayInputStream(bytes.toByteArray()))));
        }
        return new TrackerImage(image.time(), image.sweepIpv4(), image.sweepIpv6(), pages);
    }

    private int judge(Connections by, int i, boolean answers, VerdictOutcome outcome) {
        int state = by.state(packet(i < OPEN ? 4 : 6, i, answers), null, 2 * OPEN);
        by.decided(state, outcome);
        return state;
    }

    @ParameterizedTest
    @ValueSource(ints = {3, OPEN + 3})
    void aLaterVersionJudgesOnce(int i) throws IOException {
        Connections connections =
                new Connections(ANEW, through(opened(ANEW, 7).imageOfChanges()), null, null, null);
        connections.judgedBy(7);
        judge(connections, i, true, VerdictOutcome.PERMIT);
        assertEquals(0, connections.counts().reevaluated());
        connections.judgedBy(6);
        judge(connections, i, false, VerdictOutcome.DENY);
        assertEquals(0, connections.counts().reevaluated());
        connections.judgedBy(8);
        judge(connections, i, true, VerdictOutcome.DENY);
        assertEquals(0, connections.counts().reevaluated());
        int anew = ConnectionTracker.TRACKED | ConnectionTracker.NEW;
        assertEquals(anew, judge(connections, i, false, VerdictOutcome.PERMIT));
        judge(connections, i, false, VerdictOutcome.DENY);
        assertEquals(1, connections.counts().reevaluated());
        long live = connections.live();
        connections.judgedBy(9);
        assertEquals(anew, judge(connections, i, false, VerdictOutcome.DENY));
        assertEquals(1, connections.counts().endedByRules());
        assertEquals(live - 1, connections.live());
    }

    @Test
    void aStateWithoutVersionsIsJudgedAnewAndOneWithThemLosesThem() throws IOException {
        TrackerImage plain = through(opened(PLAIN, 7).imageOfChanges());
        assertTrue(plain.pages().stream().noneMatch(page -> page.layout().versioned()));
        Connections anew = new Connections(ANEW, plain, null, null, null);
        anew.judgedBy(Long.MIN_VALUE + 1);
        TrackerImage versioned = through(anew.imageOfChanges());
        assertEquals(plain.pages().size(), versioned.pages().size());
        for (int i = 0; i < 2 * OPEN; i++) {
            judge(anew, i, false, VerdictOutcome.PERMIT);
        }
        assertEquals(2 * OPEN, anew.counts().reevaluated());
        TrackerImage back = new Connections(PLAIN, versioned, null, null, null).imageOfChanges();
        for (int i = 0; i < plain.pages().size(); i++) {
            assertTrue(versioned.pages().get(i).layout().versioned());
            assertFalse(back.pages().get(i).layout().versioned());
            assertArrayEquals(plain.pages().get(i).words(), back.pages().get(i).words());
        }
    }
}
