package dev.sluice.policy.kernel;

import java.util.Set;
import java.util.function.Function;

/** Match of iptables that generated rules have, with where it may stand. */
enum MatchKind {
    SOURCE(MatchDrafts::source),
    DESTINATION(MatchDrafts::destination),
    IN_DEVICE(MatchDrafts::inDevice),
    OUT_DEVICE(MatchDrafts::outDevice),
    PROTOCOL(MatchDrafts::protocol),
    FRAGMENT(MatchDrafts::fragment, 4),
    TCP_SOURCE_PORT(MatchDrafts::tcpSourcePort, 0, ProbePacket.TCP),
    TCP_DESTINATION_PORT(MatchDrafts::tcpDestinationPort, 0, ProbePacket.TCP),
    TCP_FLAGS(MatchDrafts::tcpFlags, 0, ProbePacket.TCP),
    TCP_OPTION(MatchDrafts::tcpOption, 0, ProbePacket.TCP),
    UDP_SOURCE_PORT(MatchDrafts::udpSourcePort, 0, ProbePacket.UDP),
    UDP_DESTINATION_PORT(MatchDrafts::udpDestinationPort, 0, ProbePacket.UDP),
    ICMP_TYPE(MatchDrafts::icmpType, 4, ProbePacket.ICMP),
    ICMP6_TYPE(MatchDrafts::icmp6Type, 6, ProbePacket.ICMP6),
    MULTIPORT(MatchDrafts::multiport, 0, ProbePacket.TCP, ProbePacket.UDP, 132, 136),
    ADDRESS_RANGE(MatchDrafts::addressRange),
    SET(MatchDrafts::set),
    CONNTRACK(MatchDrafts::conntrack),
    STATE(MatchDrafts::state),
    MAC(MatchDrafts::mac),
    MARK(MatchDrafts::mark),
    ADDRESS_TYPE(MatchDrafts::addressType),
    PACKET_TYPE(MatchDrafts::packetType),
    COMMENT(MatchDrafts::comment),
    DSCP(MatchDrafts::dscp),
    TOS(MatchDrafts::tos),
    TTL(MatchDrafts::ttl),
    TTL_BORDER(MatchDrafts::ttlBorder),
    LENGTH(MatchDrafts::length),
    FRAGMENT_HEADER(MatchDrafts::fragmentHeader, 6),
    FRAGMENT_ID(MatchDrafts::fragmentId, 6),
    PHYSICAL_DEVICE(MatchDrafts::physicalDevice);

    private static final Set<MatchKind> NEVER_NEGATED =
            Set.of(COMMENT, TTL_BORDER, FRAGMENT_HEADER);

    private final Function<ValuePool, MatchDraft> drafts;
    private final int onlyVersion;
    private final int[] protocols;

    MatchKind(Function<ValuePool, MatchDraft> drafts) {
        this(drafts, 0);
    }

    /**
     * @param onlyVersion 4, 6 or 0 for both
     * @param protocols those of which {@code -p} must name one, if any
     */
    MatchKind(Function<ValuePool, MatchDraft> drafts, int onlyVersion, int... protocols) {
        this.drafts = drafts;
        this.onlyVersion = onlyVersion;
        this.protocols = protocols;
    }

    boolean isOf(int version) {
        return onlyVersion == 0 || onlyVersion == version;
    }

    int[] protocols() {
        return protocols.clone();
    }

    boolean isNegatable() {
        return !NEVER_NEGATED.contains(this);
    }

    /** Tells whether the kernel tracks connections for its sake. */
    boolean tracks() {
        return this == CONNTRACK || this == STATE;
    }

    /** Tells whether the kernel takes it only where packets arrive. */
    boolean isOnlyOfArrivals() {
        return this == MAC || this == PHYSICAL_DEVICE;
    }

    GeneratedMatch draw(ValuePool pool, boolean negated) {
        MatchDraft draft = drafts.apply(pool);
        return new GeneratedMatch(
                this, negated, draft.module(), draft.option(), draft.inner(), draft.gate());
    }

    /** Values drawn for a match. */
    record MatchDraft(String module, String option, Formula inner, Formula gate) {
        MatchDraft(String module, String option, Formula inner) {
            this(module, option, inner, Formula.ALWAYS);
        }
    }
}
