package dev.sluice.policy.nft;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Negated matches of one rule on fields that lie side by side in at most four bytes. Versions of
 * nft up to 1.1 load both fields at once and ask whether the two together differ ({@code
 * stmt_reduce} in nftables' src/rule.c), so that the rule holds where one of them differs. Later
 * versions ask for each. The kernel's list looks the same.
 */
final class MergedNegations {
    /** The field behind a field, by their keys. */
    private static final Map<String, String> NEXT = new HashMap<>();

    static {
        for (String transport : new String[] {"tcp", "udp", "udplite", "sctp", "dccp", "th"}) {
            NEXT.put(transport + " sport", transport + " dport");
        }
        NEXT.put("udp dport", "udp length");
        NEXT.put("udp length", "udp checksum");
        NEXT.put("tcp window", "tcp checksum");
        NEXT.put("tcp checksum", "tcp urgptr");
        for (String icmp : new String[] {"icmp", "icmpv6"}) {
            NEXT.put(icmp + " type", icmp + " code");
            NEXT.put(icmp + " code", icmp + " checksum");
            NEXT.put(icmp + " id", icmp + " sequence");
        }
        NEXT.put("ip length", "ip id");
        NEXT.put("ip id", "ip frag-off");
        NEXT.put("ip ttl", "ip protocol");
        NEXT.put("ip protocol", "ip checksum");
        NEXT.put("ip6 length", "ip6 nexthdr");
        NEXT.put("ip6 nexthdr", "ip6 hoplimit");
        NEXT.put("arp htype", "arp ptype");
        NEXT.put("arp ptype", "arp hlen");
        NEXT.put("arp hlen", "arp plen");
        NEXT.put("arp plen", "arp operation");
    }

    /** Places of the negated matches so far, by their fields. */
    private final Map<String, Integer> places = new HashMap<>();

    /**
     * Place of an earlier match that a match is merged with; null: none.
     *
     * @param place of the match among the conditions of its rule, where it is not merged
     */
    @Nullable Integer partner(Node match, int place) {
        Node left = match.get("left");
        Node right = match.get("right");
        if (left == null
                || right == null
                || !match.text("op").equals("!=")
                || !left.key().equals("payload")
                || !isValue(right)) {
            return null;
        }
        String field = left.inner().text("protocol") + " " + left.inner().text("field");
        for (Map.Entry<String, Integer> other : places.entrySet()) {
            if (field.equals(NEXT.get(other.getKey())) || other.getKey().equals(NEXT.get(field))) {
                Integer partner = other.getValue();
                places.put(field, partner);
                return partner;
            }
        }
        places.put(field, place);
        return null;
    }

    /** Tells whether one value stands there; nft takes a set of one for its element. */
    private static boolean isValue(Node right) {
        if (right.key().equals("set") && right.inner().isList()) {
            return right.inner().list().size() == 1 && isValue(right.inner().list().get(0));
        }
        return !right.text().isEmpty() && !right.text().startsWith("@");
    }
}
