package dev.sluice.policy.convert;

import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Matches of nft on a protocol and its ports, types or flags.
 *
 * @param versions versions of IP of the packets: one, where the protocol may be ICMP
 */
record NftTransport(Conjunct conjunct, Set<Integer> versions, boolean wholePackets) {
    private static final int ICMP = 1;
    private static final int ICMP6 = 58;
    private static final int TCP = 6;
    private static final int MOST_TYPE = 0xff;

    /** Protocols with ports, by number. */
    private static final Map<Integer, String> PORTED =
            Map.of(TCP, "tcp", 17, "udp", 33, "dccp", 132, "sctp", 136, "udplite");

    private List<String> protocols() {
        ValueSet set = conjunct.of(Field.IP_PROTO);
        return List.of(set == null ? "" : " meta l4proto " + NftWords.set(set, Field.IP_PROTO));
    }

    /** The matches, for each line. */
    List<String> lines() throws UnsayableException {
        if (conjunct.bits().containsKey(Field.IP_PROTO)) {
            throw new UnsayableException("it asks for bits of a protocol's number");
        }
        BigInteger present = conjunct.single(Field.PORTS_PRESENT);
        if (present == null) {
            return protocols();
        }
        boolean without = present.signum() == 0;
        if (!wholePackets) {
            throw new UnsayableException(
                    without
                            ? "it asks for packets without ports; add --whole-packets to leave out those that are cut"
                            : "nft says something else of packets whose transport header is cut or elsewhere; add --whole-packets to leave these out");
        }
        Set<Integer> protocols = protocols(without);
        boolean asks =
                conjunct.of(Field.SRC_PORT) != null
                        || conjunct.of(Field.DST_PORT) != null
                        || conjunct.bits().containsKey(Field.TCP_FLAGS)
                        || conjunct.of(Field.TCP_FLAGS) != null;
        if (protocols.isEmpty()) {
            return List.of();
        }
        return asks ? transport(protocols) : List.of(" meta l4proto " + words(protocols));
    }

    /** The protocols that are asked for, of those with ports or of the others. */
    private Set<Integer> protocols(boolean without) {
        ValueSet set = conjunct.of(Field.IP_PROTO);
        int icmp = versions.contains(Field.VERSION_6) ? ICMP6 : ICMP;
        Set<Integer> protocols = new TreeSet<>();
        for (int number : NftWords.numbers(set == null ? ValueSet.of(0, 0xff) : set)) {
            if ((PORTED.containsKey(number) || number == icmp) != without) {
                protocols.add(number);
            }
        }
        return protocols;
    }

    private static String words(Set<Integer> protocols) {
        ValueSet all = new ValueSet(List.of());
        for (int number : protocols) {
            all = all.or(ValueSet.of(number));
        }
        return NftWords.set(all, Field.IP_PROTO);
    }

    private List<String> transport(Set<Integer> protocols) throws UnsayableException {
        String flags = flags();
        Set<Integer> ported = new TreeSet<>(protocols);
        ported.retainAll(PORTED.keySet());
        List<String> lines = new ArrayList<>();
        if (!flags.isEmpty() && !protocols.equals(Set.of(TCP))) {
            throw new UnsayableException("it asks for TCP flags of another protocol than TCP");
        }
        if (!ported.isEmpty()) {
            boolean one = ported.size() == 1;
            String name = one ? Objects.requireNonNull(PORTED.get(ported.iterator().next())) : "th";
            String before = one ? "" : " meta l4proto " + words(ported);
            String from = ports(name + " sport ", Field.SRC_PORT, true);
            String to = ports(name + " dport ", Field.DST_PORT, !from.contains("!="));
            lines.add(before + from + to + flags);
        }
        for (int icmp : new int[] {ICMP, ICMP6}) {
            if (protocols.contains(icmp)) {
                lines.addAll(icmp(icmp));
            }
        }
        return lines;
    }

    /**
     * A match on ports.
     *
     * @param negates whether it may be negated: nft up to 1.1 compares two negated ports at once
     */
    private String ports(String key, Field field, boolean negates) {
        ValueSet set = conjunct.of(field);
        if (set == null) {
            return "";
        }
        return " " + key + (negates ? NftWords.set(set, field) : NftWords.plain(set, field));
    }

    private String flags() throws UnsayableException {
        Conjunct.Bits bits = conjunct.bits().get(Field.TCP_FLAGS);
        ValueSet set = conjunct.of(Field.TCP_FLAGS);
        if (set != null || bits != null && bits.mask().bitLength() > 8) {
            throw new UnsayableException("it asks for TCP flags in a way of its own");
        }
        return bits == null ? "" : " tcp flags & 0x%x == 0x%x".formatted(bits.mask(), bits.value());
    }

    /** Types and codes: packets have none above 255. */
    private List<String> icmp(int protocol) {
        String name = protocol == ICMP6 ? " icmpv6" : " icmp";
        List<String> words = new ArrayList<>();
        for (Field field : List.of(Field.SRC_PORT, Field.DST_PORT)) {
            ValueSet set = conjunct.of(field);
            if (set == null) {
                continue;
            }
            ValueSet known =
                    new ValueSet(
                            set.ranges().stream()
                                    .map(
                                            range ->
                                                    new ValueSet.Range(
                                                            range.low(),
                                                            range.high()
                                                                    .min(
                                                                            BigInteger.valueOf(
                                                                                    MOST_TYPE))))
                                    .toList());
            if (known.ranges().isEmpty()) {
                return List.of();
            }
            if (!known.equals(ValueSet.of(0, MOST_TYPE))) {
                words.add(
                        name
                                + (field.equals(Field.SRC_PORT) ? " type " : " code ")
                                + NftWords.plain(known, field));
            }
        }
        return List.of(
                words.isEmpty()
                        ? " meta l4proto " + protocol
                        : words.stream().collect(Collectors.joining()));
    }
}
