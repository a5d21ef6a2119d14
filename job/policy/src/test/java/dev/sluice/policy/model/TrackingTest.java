package dev.sluice.policy.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.fail;

import dev.sluice.policy.testing.PolicyWalk;
import dev.sluice.policy.testing.RandomPolicies;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TrackingTest {
    private static final int PACKETS = 20_000;

    @Test
    void everyPacketButLaterFragmentsHasOneState() {
        RandomPolicies draw = new RandomPolicies(1);
        for (int i = 0; i < PACKETS; i++) {
            int[] header = draw.header();
            if (Field.FRAGMENT.extract(header[HeaderWord.IP]) != Field.FRAGMENT_LATER) {
                states(header, ConnectionState.NEW);
                states(header, ConnectionState.ESTABLISHED);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "SYN, 0x02, NEW",
        "SYN and URG, 0x22, NEW",
        "ACK is picked up, 0x10, NEW",
        "PSH and ACK, 0x18, NEW",
        "SYN and ACK, 0x12, INVALID",
        "FIN and ACK, 0x11, INVALID",
        "RST, 0x04, INVALID",
        "none, 0x00, INVALID",
        "SYN and FIN, 0x03, INVALID",
        "FIN PSH URG, 0x29, INVALID",
    })
    void firstSegmentHasTheStateThatLinuxGives(
            String flags, String bits, ConnectionState expected) {
        int[] header = packet(6, 1024, 80);
        Field.TCP_FLAGS.put(header, Integer.decode(bits));
        assertEquals(Set.of(expected), states(header, ConnectionState.NEW), flags);
    }

    @ParameterizedTest
    @CsvSource({
        "0x10, ESTABLISHED",
        "0x12, ESTABLISHED",
        "0x02, ESTABLISHED",
        "0x14, ESTABLISHED",
        "0x11, ESTABLISHED",
        "0x31, ESTABLISHED",
        "0x01, INVALID",
        "0x00, INVALID",
        "0x20, INVALID",
        "0x06, INVALID",
        "0x32, INVALID",
        "0x3f, INVALID",
    })
    void laterSegmentIsInvalidOnlyByItsFlags(String bits, ConnectionState expected) {
        int[] header = packet(6, 1024, 80);
        Field.TCP_FLAGS.put(header, Integer.decode(bits));
        assertEquals(Set.of(expected), states(header, ConnectionState.ESTABLISHED));
    }

    @ParameterizedTest
    @CsvSource({
        "echo request, 8, NEW, ESTABLISHED",
        "echo reply, 0, INVALID, ESTABLISHED",
        "unreachable, 3, INVALID, RELATED",
        "router advertisement, 9, INVALID, INVALID",
    })
    void icmpHasTheStateOfItsType(
            String name, int type, ConnectionState first, ConnectionState later) {
        int[] header = packet(1, type, 0);
        assertEquals(Set.of(first), states(header, ConnectionState.NEW), name);
        assertEquals(Set.of(later), states(header, ConnectionState.ESTABLISHED), name);
    }

    @Test
    void neighbourDiscoveryIsUntracked() {
        int[] header = packet(58, 135, 0);
        Field.IP_VERSION.put(header, Field.VERSION_6);
        assertEquals(Set.of(ConnectionState.UNTRACKED), states(header, ConnectionState.NEW));
        assertEquals(
                Set.of(ConnectionState.UNTRACKED), states(header, ConnectionState.ESTABLISHED));
    }

    @Test
    void aHeaderThatStatesTheStateHasThatOneAlone() {
        List<Integer> stated = List.of(32 | 1, 32 | 2, 32 | 2 | 8, 32 | 4, 32 | 4 | 8, 32 | 16, 0);
        List<ConnectionState> expected =
                List.of(
                        ConnectionState.NEW,
                        ConnectionState.ESTABLISHED,
                        ConnectionState.ESTABLISHED,
                        ConnectionState.RELATED,
                        ConnectionState.RELATED,
                        ConnectionState.INVALID,
                        ConnectionState.UNTRACKED);
        for (int i = 0; i < stated.size(); i++) {
            int[] header = packet(6, 1, 2);
            Field.CONNECTION_STATE.put(header, stated.get(i));
            PolicyWalk walk =
                    new PolicyWalk(
                            Assumptions.NONE.ofTracked(), words -> fail("unknown: " + words));
            for (ConnectionState state : ConnectionState.values()) {
                Condition told = Tracking.told(new Condition.InState(Set.of(state)));
                assertEquals(
                        state == expected.get(i), walk.meets(told, header), "" + stated.get(i));
            }
        }
        Set<String> unknown = new HashSet<>();
        PolicyWalk walk =
                new PolicyWalk(
                        Assumptions.NONE.ofTracked(),
                        words -> {
                            unknown.add(words);
                            return false;
                        });
        Condition told = Tracking.told(new Condition.InState(Set.of(ConnectionState.NEW)));
        assertFalse(walk.meets(told, packet(6, 1, 2)));
        assertEquals(1, unknown.size());
    }

    private static int[] packet(int protocol, int source, int destination) {
        int[] header = new int[HeaderWord.COUNT];
        Field.IP_VERSION.put(header, Field.VERSION_4);
        Field.IP_PROTO.put(header, protocol);
        Field.SRC_PORT.put(header, source);
        Field.DST_PORT.put(header, destination);
        return header;
    }

    private static Set<ConnectionState> states(int[] header, ConnectionState assumed) {
        PolicyWalk walk =
                new PolicyWalk(
                        new Assumptions(assumed, "", ""), words -> fail("unknown: " + words));
        Set<ConnectionState> states = EnumSet.noneOf(ConnectionState.class);
        for (ConnectionState state : ConnectionState.values()) {
            if (walk.meets(new Condition.InState(Set.of(state)), header)) {
                states.add(state);
            }
        }
        assertEquals(1, states.size(), () -> "states " + states);
        return states;
    }
}
