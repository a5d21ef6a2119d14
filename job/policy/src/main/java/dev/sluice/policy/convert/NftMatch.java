package dev.sluice.policy.convert;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.SeenProtocol;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Matches of nft that a conjunct is, as a line for each of some alternatives. */
final class NftMatch {
    private static final Set<Integer> BOTH = Set.of(Field.VERSION_4, Field.VERSION_6);
    private static final String INTERFACE = "[\\w.@:/-]{1,15}";

    /** Fields that nft names otherwise in each version of IP, or that one version lacks. */
    private static final Set<Field> OF_VERSION =
            Set.of(
                    Field.IPV4_SRC,
                    Field.IPV4_DST,
                    Field.IPV6_SRC,
                    Field.IPV6_DST,
                    Field.FRAGMENT,
                    Field.TTL,
                    Field.TOS);

    private static final Pattern LIMIT =
            Pattern.compile(
                    "-m limit --limit (\\d+)/(sec|second|min|minute|hour|day)(?: --limit-burst (\\d+))?");

    private static final Map<String, String> UNITS =
            Map.of(
                    "sec", "second",
                    "second", "second",
                    "min", "minute",
                    "minute", "minute",
                    "hour", "hour",
                    "day", "day");

    private final Conjunct conjunct;
    private final Set<Integer> versions;
    private final boolean wholePackets;
    private List<String> lines = List.of("");

    private NftMatch(Conjunct conjunct, Set<Integer> versions, boolean wholePackets) {
        this.conjunct = conjunct;
        this.versions = versions;
        this.wholePackets = wholePackets;
    }

    /**
     * The matches, for each line.
     *
     * @param table versions of IP that come to the table
     * @throws UnsayableException if nft cannot say them
     */
    static Set<String> lines(Conjunct conjunct, Set<Integer> table, boolean wholePackets)
            throws UnsayableException {
        requireSaid(conjunct);
        Set<Integer> asked = new TreeSet<>();
        for (int version : new TreeSet<>(table)) {
            int type = version == Field.VERSION_4 ? 0x0800 : 0x86dd;
            if (holds(conjunct, Field.IP_VERSION, version)
                    && holds(conjunct, Field.ETH_TYPE, type)) {
                asked.add(version);
            }
        }
        Set<String> all = new TreeSet<>();
        List<Set<Integer>> groups = new ArrayList<>();
        if (asked.equals(BOTH) && !splits(conjunct)) {
            groups.add(asked);
        } else {
            asked.forEach(version -> groups.add(Set.of(version)));
        }
        for (Set<Integer> versions : groups) {
            NftMatch match = new NftMatch(conjunct, versions, wholePackets);
            if (!versions.equals(table)) {
                match.add(" meta nfproto " + (match.isV6() ? "ipv6" : "ipv4"));
            }
            all.addAll(match.lines());
        }
        return all;
    }

    private static boolean splits(Conjunct conjunct) {
        Set<Field> asked = new HashSet<>(conjunct.values().keySet());
        asked.addAll(conjunct.bits().keySet());
        boolean fails =
                conjunct.fails().stream()
                        .anyMatch(
                                one ->
                                        one instanceof Condition.In in
                                                && in.field().equals(Field.TTL));
        return fails
                || asked.stream().anyMatch(OF_VERSION::contains)
                || asked.contains(Field.PORTS_PRESENT);
    }

    /** Returns whether a value of a field meets the conjunct. */
    private static boolean holds(Conjunct conjunct, Field field, long value) {
        BigInteger number = BigInteger.valueOf(value);
        ValueSet set = conjunct.of(field);
        Conjunct.Bits bits = conjunct.bits().get(field);
        return (set == null || set.contains(number))
                && (bits == null || number.xor(bits.value()).and(bits.mask()).signum() == 0);
    }

    private static void requireSaid(Conjunct conjunct) throws UnsayableException {
        Set<Field> asked = new HashSet<>(conjunct.values().keySet());
        asked.addAll(conjunct.bits().keySet());
        asked.removeAll(ConvertedRule.SAID);
        if (!asked.isEmpty()) {
            throw new UnsayableException("it asks for " + asked.iterator().next().label());
        }
        for (Field bit : List.of(Field.TTL_PRESENT, Field.MARK_PRESENT)) {
            requirePresent(conjunct, bit);
        }
        for (Field address : List.of(Field.ETH_SRC, Field.ETH_DST)) {
            Field bit =
                    address.equals(Field.ETH_SRC) ? Field.ETH_SRC_PRESENT : Field.ETH_DST_PRESENT;
            requirePresent(conjunct, bit);
            if (conjunct.bits().containsKey(address)
                    || conjunct.of(bit) != null && conjunct.of(address) == null) {
                throw new UnsayableException(
                        "it asks for %s in a way of its own".formatted(address.label()));
            }
        }
        for (String words : conjunct.unknown()) {
            if (!LIMIT.matcher(words).matches()) {
                throw new UnsayableException("no header tells: " + words);
            }
        }
    }

    private static void requirePresent(Conjunct conjunct, Field bit) throws UnsayableException {
        if (!holds(conjunct, bit, 1)) {
            throw new UnsayableException("it asks for packets without what " + bit + " tells");
        }
    }

    private boolean isV6() {
        return versions.contains(Field.VERSION_6);
    }

    /** Has the rule see the protocol that nft sees ({@link SeenProtocol}). */
    private void authentication() throws UnsayableException {
        boolean protocol = conjunct.of(Field.IP_PROTO) != null;
        BigInteger present = conjunct.single(Field.SPI_PRESENT);
        if (present != null && (present.signum() != 0 || !protocol)) {
            throw new UnsayableException("it asks for packets with an SPI, or without one");
        }
        if (present == null && protocol && isV6() && !wholePackets) {
            throw new UnsayableException(
                    "it asks for the protocol behind an authentication header, which nft does not read; add --whole-packets to convert without packets that have one");
        }
    }

    private List<String> lines() throws UnsayableException {
        interfaces(true, " iifname ");
        interfaces(false, " oifname ");
        for (Field field :
                List.of(Field.IPV4_SRC, Field.IPV4_DST, Field.IPV6_SRC, Field.IPV6_DST)) {
            address(field);
        }
        fragment();
        authentication();
        add(new NftTransport(conjunct, versions, wholePackets).lines());
        tos();
        ttl();
        mark();
        mac(Field.ETH_SRC, " ether saddr ");
        mac(Field.ETH_DST, " ether daddr ");
        for (Condition failed : conjunct.fails()) {
            fails(failed);
        }
        if (conjunct.states().size() < ConnectionState.values().length) {
            add(
                    " ct state "
                            + conjunct.states().stream()
                                    .map(state -> state.name().toLowerCase(Locale.ROOT))
                                    .collect(Collectors.joining(",")));
        }
        for (String words : conjunct.unknown()) {
            add(limit(words)); // behind all others: it counts the packets that come to it
        }
        return lines;
    }

    /** A limit of iptables, whose burst is 5 packets where none is given, as in nft. */
    private static String limit(String words) {
        Matcher limit = LIMIT.matcher(words);
        if (!limit.matches()) {
            throw new IllegalStateException(words);
        }
        String burst = limit.group(3);
        return " limit rate %s/%s%s"
                .formatted(
                        limit.group(1),
                        Objects.requireNonNull(UNITS.get(limit.group(2))),
                        burst == null ? "" : " burst " + burst + " packets");
    }

    private void add(String match) {
        lines = Words.each(lines, List.of(match));
    }

    private void add(List<String> matches) throws UnsayableException {
        lines = Words.lines(lines, matches);
    }

    private void interfaces(boolean incoming, String key) throws UnsayableException {
        for (boolean fits : new boolean[] {true, false}) {
            for (Condition.Interface one : fits ? conjunct.interfaces() : conjunct.others()) {
                if (one.incoming() != incoming) {
                    continue;
                }
                String name = one.name();
                boolean prefix = name.endsWith("+");
                String plain = prefix ? name.substring(0, name.length() - 1) : name;
                if (!plain.matches(INTERFACE)) {
                    throw new UnsayableException("nft takes no interface " + name);
                }
                add(key + (fits ? "" : "!= ") + '"' + plain + (prefix ? "*" : "") + '"');
            }
        }
    }

    private void address(Field field) throws UnsayableException {
        boolean v6 = field.bits() == ConvertedRule.IPV6_BITS;
        ValueSet set = conjunct.of(field);
        Conjunct.Bits bits = conjunct.bits().get(field);
        if (set == null && bits == null) {
            return;
        }
        if (v6 != isV6()) {
            add(holds(conjunct, field, 0) ? List.of("") : List.of()); // the word is 0 there
            return;
        }
        boolean source = field.equals(Field.IPV4_SRC) || field.equals(Field.IPV6_SRC);
        String key = (v6 ? " ip6 " : " ip ") + (source ? "saddr " : "daddr ");
        if (set != null) {
            add(key + NftWords.set(set, field));
        }
        if (bits != null && v6) {
            throw new UnsayableException("the mask of %s is no prefix".formatted(field.label()));
        }
        if (bits != null) {
            String value = Words.address(bits.value(), v6);
            add("%s& %s == %s".formatted(key, Words.address(bits.mask(), v6), value));
        }
    }

    private void fragment() throws UnsayableException {
        List<Integer> kinds = new ArrayList<>();
        for (int kind :
                new int[] {Field.FRAGMENT_NONE, Field.FRAGMENT_FIRST, Field.FRAGMENT_LATER}) {
            if (holds(conjunct, Field.FRAGMENT, kind)) {
                kinds.add(kind);
            }
        }
        String words = FRAGMENTS.get(kinds);
        if (words == null) {
            add(List.of());
        } else if (!words.isEmpty()) {
            if (isV6()) {
                throw new UnsayableException("it asks for fragments of IPv6");
            }
            add(" ip frag-off & " + words);
        }
    }

    private static final Map<List<Integer>, String> FRAGMENTS =
            Map.of(
                    List.of(0, 1, 3), "",
                    List.of(0), "0x3fff == 0",
                    List.of(1), "0x3fff == 0x2000",
                    List.of(3), "0x1fff != 0",
                    List.of(0, 1), "0x1fff == 0",
                    List.of(1, 3), "0x3fff != 0",
                    List.of(0, 3), "0x3fff != 0x2000");

    private void tos() throws UnsayableException {
        if (conjunct.of(Field.TOS) == null && !conjunct.bits().containsKey(Field.TOS)) {
            return;
        }
        Set<Integer> classes = new TreeSet<>();
        Set<Integer> marks = new TreeSet<>();
        long held = 0;
        for (int tos = 0; tos <= 0xff; tos++) {
            if (holds(conjunct, Field.TOS, tos)) {
                classes.add(tos >> 2);
                marks.add(tos & 3);
                held++;
            }
        }
        if (held != (long) classes.size() * marks.size()) {
            throw new UnsayableException("nft has no word for these values of nw_tos");
        }
        String ip = isV6() ? " ip6 " : " ip ";
        add(classes.size() == 64 ? List.of("") : each(ip + "dscp ", classes));
        add(marks.size() == 4 ? List.of("") : each(ip + "ecn ", marks));
    }

    private static List<String> each(String key, Set<Integer> values) {
        return values.stream().map(value -> key + value).toList();
    }

    private void ttl() throws UnsayableException {
        ValueSet set = conjunct.of(Field.TTL);
        if (conjunct.bits().containsKey(Field.TTL)
                || set == null && conjunct.of(Field.TTL_PRESENT) != null) {
            throw new UnsayableException("it asks for nw_ttl in a way of its own");
        }
        if (set != null) {
            add(ttlKey() + NftWords.set(set, Field.TTL));
        }
    }

    private String ttlKey() {
        return isV6() ? " ip6 hoplimit " : " ip ttl ";
    }

    private void mark() throws UnsayableException {
        ValueSet set = conjunct.of(Field.MARK);
        Conjunct.Bits bits = conjunct.bits().get(Field.MARK);
        if (set != null) {
            add(" meta mark " + NftWords.set(set, Field.MARK));
        }
        if (bits != null) {
            add(" meta mark & 0x%x == 0x%x".formatted(bits.mask(), bits.value()));
        }
        boolean asks = conjunct.of(Field.MARK_PRESENT) != null;
        boolean others = conjunct.fails().stream().anyMatch(NftMatch::isOfNoMark);
        if (set == null && bits == null && asks != others) {
            throw new UnsayableException("nft does not tell a mark of 0 from no mark");
        }
    }

    /** Returns whether a condition on the mark holds of 0. */
    private static boolean isOfNoMark(Condition failed) {
        return Field.MARK.equals(Condition.field(failed))
                && Condition.holds(failed, BigInteger.ZERO);
    }

    /**
     * Returns whether conjuncts are said by their one match on the mark: packets without a mark
     * have 0 there.
     */
    static boolean isSaidByMark(Conjunct without, List<Conjunct> all) {
        return without.equals(without.withoutMark().with(Field.MARK_PRESENT, 0))
                && all.stream()
                        .anyMatch(
                                one ->
                                        asksMark(one)
                                                && holds(one, Field.MARK, 0)
                                                && one.withoutMark().equals(without.withoutMark()));
    }

    private static boolean asksMark(Conjunct one) {
        return one.of(Field.MARK) != null || one.bits().containsKey(Field.MARK);
    }

    /**
     * Returns whether a match on the mark would hold of packets without one, and none is asked for.
     */
    static boolean leavesNoMark(Conjunct one, List<Conjunct> all) {
        return asksMark(one)
                && holds(one, Field.MARK, 0)
                && !all.contains(one.withoutMark().with(Field.MARK_PRESENT, 0));
    }

    private void mac(Field field, String key) {
        ValueSet set = conjunct.of(field);
        if (set != null) {
            add(key + NftWords.set(set, field));
        }
    }

    /** A mark or TTL that the packet has not. */
    private void fails(Condition failed) throws UnsayableException {
        if (failed instanceof Condition.Bits bits && bits.field().equals(Field.MARK)) {
            add(" meta mark & 0x%x != 0x%x".formatted(bits.mask(), bits.value().and(bits.mask())));
        } else if (failed instanceof Condition.In in && in.field().equals(Field.MARK)) {
            add(" meta mark != " + NftWords.plain(in.values(), Field.MARK));
        } else if (failed instanceof Condition.In in && in.field().equals(Field.TTL)) {
            add(ttlKey() + "!= " + NftWords.plain(in.values(), Field.TTL));
        } else {
            throw new UnsayableException("nft negates no such condition");
        }
    }
}
