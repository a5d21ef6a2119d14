package dev.sluice.policy.kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/** States that Linux gives to the first packet of a connection, as its nf_conntrack does. */
final class ConnectionStates {
    static final List<String> NAMES = List.of("INVALID", "NEW", "UNTRACKED");
    static final int INVALID = 0;
    static final int NEW = 1;
    static final int UNTRACKED = 2;

    /** FIN, SYN, RST, ACK and URG: the flags that count. */
    private static final int FLAGS = 0x37;

    private ConnectionStates() {}

    /** Sets the state that a packet has behind the raw tables. */
    static void track(ProbePacket packet) {
        if (packet.number(ProbeField.STATE) == INVALID) {
            boolean fresh = newIn(packet.version()).holds(packet);
            int state =
                    fresh ? NEW : discovery(packet.version()).holds(packet) ? UNTRACKED : INVALID;
            packet.set(ProbeField.STATE, state);
        }
    }

    /**
     * Returns the condition that a packet has a state; before the tracker saw it, it is INVALID.
     */
    static Formula is(int version, int state) {
        Formula aimed =
                switch (state) {
                    case NEW -> newIn(version);
                    case UNTRACKED -> discovery(version);
                    default -> Formula.all(newIn(version).not(), discovery(version).not());
                };
        return new Formula.Derived(Formula.is(ProbeField.STATE, state), aimed);
    }

    private static final List<Formula> NEWS = List.of(ofVersion(4), ofVersion(6));

    private static Formula newIn(int version) {
        return NEWS.get(version == 4 ? 0 : 1);
    }

    private static Formula ofVersion(int version) {
        int icmp = version == 4 ? ProbePacket.ICMP : ProbePacket.ICMP6;
        LongStream requests = version == 4 ? LongStream.of(8, 13, 15, 17) : LongStream.of(128, 139);
        List<Formula> tcp = new ArrayList<>();
        for (int flags : new int[] {0x02, 0x22, 0x10, 0x30}) {
            tcp.add(Formula.bits(ProbeField.TCP_FLAGS, flags, FLAGS));
        }
        Formula isTcp = Formula.is(ProbeField.PROTOCOL, ProbePacket.TCP);
        Formula isIcmp = Formula.is(ProbeField.PROTOCOL, icmp);
        return Formula.any(
                List.of(
                        Formula.all(isTcp, Formula.any(tcp)),
                        Formula.all(
                                isIcmp,
                                Formula.any(
                                        requests.mapToObj(t -> Formula.is(ProbeField.ICMP_TYPE, t))
                                                .toList())),
                        Formula.all(isTcp.not(), isIcmp.not())));
    }

    /** Returns the condition of ICMPv6's neighbour discovery and multicast listeners. */
    private static Formula discovery(int version) {
        Formula types =
                Formula.any(
                        List.of(
                                Formula.range(ProbeField.ICMP_TYPE, 130, 136),
                                Formula.range(ProbeField.ICMP_TYPE, 151, 152),
                                Formula.is(ProbeField.ICMP_TYPE, 143)));
        Formula protocol = Formula.is(ProbeField.PROTOCOL, ProbePacket.ICMP6);
        return version == 4 ? Formula.any(List.of()) : Formula.all(protocol, types);
    }
}
