package dev.sluice.policy.junos;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Judge of a packet by the {@code set} lines of a filter, word by word, as Juniper's pages say. It
 * may make a mistake, for tests to find.
 */
final class FilterJudge {
    /** A mistake of a reader. */
    enum Mistake {
        NONE,
        FIRST_PREFIX_DECIDES,
        EXCEPT_ALONE_MATCHES,
        PORT_EXCEPT_OF_EITHER,
        ADDRESS_OF_BOTH_SIDES,
        NEXT_TERM_ENDS,
        END_ACCEPTS,
        LATER_FRAGMENTS_HAVE_NO_PORTS,
        PROTOCOL_IS_IMPLIED,
        ESTABLISHED_IS_ACK
    }

    /** Expressions of TCP flags that random filters have. */
    static final Map<String, IntPredicate> FLAGS =
            Map.of(
                    "\"syn & !ack\"", flags -> (flags & 0x12) == 0x02,
                    "\"(ack | rst)\"", flags -> (flags & 0x14) != 0,
                    "\"!(syn & ack)\"", flags -> (flags & 0x12) != 0x12,
                    "\"fin|syn&rst\"", flags -> (flags & 1) != 0 || (flags & 6) == 6,
                    "syn", flags -> (flags & 2) != 0);

    private static final Map<String, Integer> NAMES =
            Map.of(
                    "tcp",
                    6,
                    "udp",
                    17,
                    "icmp",
                    1,
                    "gre",
                    47,
                    "ssh",
                    22,
                    "http",
                    80,
                    "cs1",
                    8,
                    "echo-request",
                    8,
                    "echo-reply",
                    0,
                    "flash",
                    3);

    private final Map<String, List<String>> lists = new LinkedHashMap<>();

    /** The conditions and actions of each term, as the words behind its name. */
    private final Map<String, List<String[]>> terms = new LinkedHashMap<>();

    private final Mistake mistake;

    FilterJudge(List<String> lines, Mistake mistake) {
        this.mistake = mistake;
        for (String line : lines) {
            String[] words = line.split(" (?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)");
            if (words[1].equals("policy-options")) {
                lists.computeIfAbsent(words[3], none -> new ArrayList<>()).add(words[4]);
            } else {
                String[] rest = new String[words.length - 8];
                System.arraycopy(words, 8, rest, 0, rest.length);
                terms.computeIfAbsent(words[7], none -> new ArrayList<>()).add(rest);
            }
        }
    }

    /** Possible outcomes: true permits; two where nobody can tell. */
    Set<Boolean> judge(FilterPacket packet) {
        EnumSet<Fate> fates = EnumSet.noneOf(Fate.class);
        for (List<String[]> term : terms.values()) {
            Boolean fits = fits(term, packet);
            String action = action(term);
            boolean goesOn = action.equals("next") && mistake != Mistake.NEXT_TERM_ENDS;
            if (Boolean.FALSE.equals(fits) || goesOn) {
                continue;
            }
            fates.add(
                    action.equals("discard") || action.equals("reject") ? Fate.DENY : Fate.PERMIT);
            if (fits != null) {
                return outcomes(fates);
            }
        }
        fates.add(mistake == Mistake.END_ACCEPTS ? Fate.PERMIT : Fate.DENY);
        return outcomes(fates);
    }

    private enum Fate {
        PERMIT,
        DENY
    }

    private static Set<Boolean> outcomes(Set<Fate> fates) {
        return fates.size() == 2 ? Set.of(true, false) : Set.of(fates.contains(Fate.PERMIT));
    }

    private static String action(List<String[]> term) {
        for (String[] words : term) {
            if (words[0].equals("then") && !Set.of("count", "log", "policer").contains(words[1])) {
                return words[1];
            }
        }
        return "accept";
    }

    /** Truth of all conditions; null: nobody knows. */
    private @Nullable Boolean fits(List<String[]> term, FilterPacket packet) {
        Map<String, List<String[]>> conditions = new LinkedHashMap<>();
        for (String[] words : term) {
            if (words[0].equals("from")) {
                String key = words[1].replace("prefix-list", "address");
                conditions.computeIfAbsent(key, none -> new ArrayList<>()).add(words);
            }
        }
        Boolean all = true;
        for (Map.Entry<String, List<String[]>> one : conditions.entrySet()) {
            Boolean holds = holds(one.getKey(), one.getValue(), conditions, packet);
            if (Boolean.FALSE.equals(holds)) {
                return false;
            }
            all = holds == null ? null : all;
        }
        return all;
    }

    private @Nullable Boolean holds(
            String key,
            List<String[]> values,
            Map<String, List<String[]>> others,
            FilterPacket packet) {
        boolean except = key.endsWith("-except");
        String keyword = except ? key.substring(0, key.length() - 7) : key;
        return switch (keyword) {
            case "source-address" -> longest(values, packet.from());
            case "destination-address" -> longest(values, packet.to());
            case "address" ->
                    mistake == Mistake.ADDRESS_OF_BOTH_SIDES
                            ? longest(values, packet.from()) && longest(values, packet.to())
                            : longest(values, packet.from()) || longest(values, packet.to());
            case "protocol" -> any(values, packet.protocol()) != except;
            case "ttl" -> any(values, packet.ttl()) != except;
            case "packet-length" -> any(values, packet.length()) != except;
            case "dscp" -> any(values, packet.tos() >> 2) != except;
            case "precedence" -> any(values, packet.tos() >> 5) != except;
            case "source-port", "destination-port", "port" ->
                    unlessOther(
                            packet.hasPorts(),
                            others,
                            packet,
                            ports(keyword, values, except, packet));
            case "icmp-type" ->
                    unlessOther(
                            packet.isIcmp(),
                            others,
                            packet,
                            any(values, packet.source()) != except);
            case "tcp-established" ->
                    ofTcp(
                            others,
                            packet,
                            flags ->
                                    (flags & (mistake == Mistake.ESTABLISHED_IS_ACK ? 0x10 : 0x14))
                                            != 0);
            case "tcp-initial" -> ofTcp(others, packet, flags -> (flags & 0x12) == 2);
            case "tcp-flags" ->
                    ofTcp(others, packet, Objects.requireNonNull(FLAGS.get(values.get(0)[2])));
            case "is-fragment" -> packet.fragment() == 2;
            case "first-fragment" ->
                    packet.fragment() == 0 ? null : Boolean.valueOf(packet.fragment() == 1);
            case "fragment-offset" -> {
                boolean zero = any(values, 0) != except;
                yield packet.fragment() < 2 ? Boolean.valueOf(zero) : only(values, except);
            }
            default -> throw new IllegalArgumentException(key);
        };
    }

    /** An offset beyond 0 that is asked for by a part of the numbers is not known. */
    private static @Nullable Boolean only(List<String[]> values, boolean except) {
        String value = values.get(0)[2];
        return value.equals("0")
                ? Boolean.valueOf(except)
                : value.equals("1-8191") ? !except : null;
    }

    private @Nullable Boolean ofTcp(
            Map<String, List<String[]>> others, FilterPacket packet, IntPredicate flags) {
        boolean tcp = packet.protocol() == FilterPacket.TCP && packet.fragment() != 2;
        return unlessOther(tcp, others, packet, flags.test(packet.flags()));
    }

    /** Truth of a packet that has the field; of another one nobody knows. */
    private @Nullable Boolean unlessOther(
            boolean has, Map<String, List<String[]>> others, FilterPacket packet, boolean holds) {
        if (has) {
            return holds;
        }
        if (mistake == Mistake.LATER_FRAGMENTS_HAVE_NO_PORTS && packet.fragment() == 2) {
            return false;
        }
        return mistake == Mistake.PROTOCOL_IS_IMPLIED && !others.containsKey("protocol")
                ? Boolean.FALSE
                : null;
    }

    private boolean ports(
            String keyword, List<String[]> values, boolean except, FilterPacket packet) {
        boolean source = any(values, packet.source());
        boolean destination = any(values, packet.destination());
        boolean both = mistake == Mistake.PORT_EXCEPT_OF_EITHER && except;
        return switch (keyword) {
            case "source-port" -> source != except;
            case "destination-port" -> destination != except;
            default -> (both ? source && destination : source || destination) != except;
        };
    }

    private static boolean any(List<String[]> values, int value) {
        for (String[] words : values) {
            String[] ends =
                    NAMES.containsKey(words[2]) ? new String[] {words[2]} : words[2].split("-");
            if (number(ends[0]) <= value && value <= number(ends[ends.length - 1])) {
                return true;
            }
        }
        return false;
    }

    private static int number(String word) {
        Integer named = NAMES.get(word);
        return named == null ? Integer.parseInt(word) : named;
    }

    private boolean longest(List<String[]> values, int address) {
        int longest = -1;
        boolean matches =
                mistake == Mistake.EXCEPT_ALONE_MATCHES
                        && values.stream().allMatch(words -> words.length > 3);
        for (String[] words : values) {
            List<String> prefixes =
                    words[1].endsWith("prefix-list")
                            ? lists.getOrDefault(words[2], List.of())
                            : List.of(words[2]);
            for (String prefix : prefixes) {
                int length = Integer.parseInt(prefix.substring(prefix.indexOf('/') + 1));
                long base = address(prefix.substring(0, prefix.indexOf('/')));
                boolean holds = (base ^ Integer.toUnsignedLong(address)) >> (32 - length) == 0;
                if (holds && length > longest) {
                    boolean first = mistake == Mistake.FIRST_PREFIX_DECIDES;
                    longest = first ? 32 : length;
                    matches = words.length == 3;
                }
            }
        }
        return matches;
    }

    private static long address(String dotted) {
        long value = 0;
        for (String part : dotted.split("\\.")) {
            value = value << 8 | Integer.parseInt(part);
        }
        return value;
    }
}
