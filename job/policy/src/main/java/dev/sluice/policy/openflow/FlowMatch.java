package dev.sluice.policy.openflow;

import dev.sluice.engine.rules.Match;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.List;

/**
 * The match of a flow as it grows by its fields. It refuses a field that contradicts an earlier
 * one, and a field whose prerequisite on EtherType and IP protocol no other field sets.
 */
final class FlowMatch {
    static final int IPV4 = 0x0800;
    static final int IPV6 = 0x86dd;

    /** ARP and RARP. */
    static final List<Integer> ARPS = List.of(0x0806, 0x8035);

    static final int ICMP = 1;
    static final int ICMPV6 = 58;

    /** A prerequisite of a field, checked at the end. */
    private record Prerequisite(
            String field,
            int column,
            List<Integer> types,
            List<Integer> protocols,
            String remedy) {}

    private final int[] values = new int[HeaderWord.COUNT];
    private final int[] masks = new int[HeaderWord.COUNT];
    private final List<Prerequisite> prerequisites = new ArrayList<>();
    private int etherType = -1;
    private int protocol = -1;

    /** The EtherType that the flow names so far, or -1. */
    int etherType() {
        return etherType;
    }

    /** The IP protocol that the flow names so far, or -1. */
    int protocol() {
        return protocol;
    }

    /** The value of a word so far. */
    int value(int word) {
        return values[word];
    }

    /** The mask of a word so far. */
    int mask(int word) {
        return masks[word];
    }

    void etherType(String words, int column, int type) throws RuleSyntaxException {
        constrain(words, column, Field.ETH_TYPE, type, 0xffff);
        etherType = type;
    }

    void protocol(String words, int column, int proto) throws RuleSyntaxException {
        constrain(words, column, Field.IP_PROTO, proto, 0xff);
        protocol = proto;
    }

    /**
     * Constrains a field.
     *
     * @param words the words of the flow that say it
     * @param column where they stand
     */
    void constrain(String words, int column, Field field, int value, int mask)
            throws RuleSyntaxException {
        constrainWord(words, column, field.word(), field.place(value), field.place(mask));
    }

    /** Constrains bits of a word. */
    void constrainWord(String words, int column, int word, int value, int mask)
            throws RuleSyntaxException {
        if ((masks[word] & mask & (values[word] ^ value)) != 0) {
            throw new RuleSyntaxException(
                    column,
                    words,
                    "contradicts what the flow says before; no packet could match: keep one of the two");
        }
        values[word] |= value & mask;
        masks[word] |= mask;
    }

    /**
     * Notes a field's prerequisite.
     *
     * @param protocols empty for any
     */
    void require(
            String field, int column, List<Integer> types, List<Integer> protocols, String remedy) {
        prerequisites.add(new Prerequisite(field, column, types, protocols, remedy));
    }

    /** Refuses a field whose prerequisite is not met. */
    void checkPrerequisites() throws RuleSyntaxException {
        for (Prerequisite of : prerequisites) {
            boolean typeMet = of.types.contains(etherType);
            if (!typeMet && ARPS.contains(etherType)) {
                throw new RuleSyntaxException(
                        of.column,
                        of.field,
                        "of an ARP packet has a name of its own; write arp_spa, arp_tpa or arp_op");
            }
            boolean protocolMet =
                    of.protocols.isEmpty() || of.protocols.contains(protocol) && fitsType();
            if (!typeMet || !protocolMet) {
                throw new RuleSyntaxException(
                        of.column,
                        of.field,
                        "lacks its prerequisite, without which a switch ignores it; " + of.remedy);
            }
        }
    }

    /** Returns whether the protocol is ICMP over IPv4, ICMPv6 over IPv6, or another. */
    private boolean fitsType() {
        return protocol != ICMP && protocol != ICMPV6 || (protocol == ICMP) == (etherType == IPV4);
    }

    /** The match of all fields. */
    Match build() {
        Match.Builder match = new Match.Builder();
        for (int w = 0; w < HeaderWord.COUNT; w++) {
            match.word(w, values[w], masks[w]);
        }
        return match.build();
    }
}
