package dev.sluice.policy.convert;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.policy.model.ValueSet.Range;
import dev.sluice.schemas.header.Field;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Options of iptables that a conjunct is, as a line for each of some alternatives. */
final class IptablesMatch {
    /** Most lines of a rule. */
    private final Conjunct conjunct;

    private final boolean v6;
    private final boolean wholePackets;
    private final Set<Field> said = new HashSet<>();
    private List<String> lines = List.of("");

    private IptablesMatch(Conjunct conjunct, boolean v6, boolean wholePackets) {
        this.conjunct = conjunct;
        this.v6 = v6;
        this.wholePackets = wholePackets;
    }

    /**
     * The options, for each line.
     *
     * @throws UnsayableException if iptables cannot say them
     */
    static List<String> lines(Conjunct conjunct, boolean v6, boolean wholePackets)
            throws UnsayableException {
        return new IptablesMatch(conjunct, v6, wholePackets).lines();
    }

    private List<String> lines() throws UnsayableException {
        BigInteger version = conjunct.single(Field.IP_VERSION);
        said.addAll(Set.of(Field.IP_VERSION, Field.ETH_TYPE, Field.IPV6_EXTENSIONS_PRESENT));
        said.addAll(Set.of(Field.TTL_PRESENT, Field.MARK_PRESENT, Field.IP_LENGTH_PRESENT));
        if (version != null && version.intValue() != (v6 ? Field.VERSION_6 : Field.VERSION_4)) {
            return List.of();
        }
        BigInteger type = conjunct.single(Field.ETH_TYPE);
        if (type != null && type.intValue() != (v6 ? 0x86dd : 0x0800)) {
            return List.of();
        }
        if (!v6 && extensions() != 0) {
            return List.of(); // no packet of IPv4 has such a header
        }
        authentication();
        interfaces(true, "-i");
        interfaces(false, "-o");
        address(v6 ? Field.IPV6_SRC : Field.IPV4_SRC, "-s", "--src-range");
        address(v6 ? Field.IPV6_DST : Field.IPV4_DST, "-d", "--dst-range");
        extension();
        fragment();
        length();
        protocol();
        masked(Field.TOS, " -m tos --tos ");
        masked(Field.MARK, " -m mark --mark ");
        ttl();
        for (Condition failed : conjunct.fails()) {
            fails(failed);
        }
        mac();
        if (conjunct.states().size() < ConnectionState.values().length) {
            add(
                    " -m conntrack --ctstate "
                            + conjunct.states().stream()
                                    .map(ConnectionState::name)
                                    .collect(Collectors.joining(",")));
        }
        for (String words : conjunct.unknown()) {
            if (!words.startsWith("-m ") || words.matches("-m (mark|tos|dscp|ttl|hl) .*")) {
                throw new UnsayableException("no header tells: " + words);
            }
            add(" " + words);
        }
        requireAllSaid();
        return lines;
    }

    private void requireAllSaid() throws UnsayableException {
        Set<Field> asked = new HashSet<>(conjunct.values().keySet());
        asked.addAll(conjunct.bits().keySet());
        asked.removeAll(said);
        if (!asked.isEmpty()) {
            throw new UnsayableException("it asks for " + asked.iterator().next().label());
        }
        for (Field bit :
                List.of(
                        Field.TTL_PRESENT,
                        Field.MARK_PRESENT,
                        Field.ETH_SRC_PRESENT,
                        Field.IP_LENGTH_PRESENT,
                        Field.IPV6_EXTENSIONS_PRESENT)) {
            BigInteger value = conjunct.single(bit);
            if (value != null && value.signum() == 0) {
                throw new UnsayableException("it asks for packets without what " + bit + " tells");
            }
        }
    }

    private void add(String option) {
        lines = Words.each(lines, List.of(option));
    }

    private void add(List<String> options) throws UnsayableException {
        lines = Words.lines(lines, options);
    }

    private void interfaces(boolean incoming, String option) throws UnsayableException {
        List<String> fit = names(conjunct.interfaces(), incoming);
        List<String> others = names(conjunct.others(), incoming);
        if (fit.size() + others.size() > 1) {
            throw new UnsayableException("it names several interfaces for " + option);
        }
        fit.forEach(name -> add(" " + option + " " + name));
        others.forEach(name -> add(" ! " + option + " " + name));
    }

    private static List<String> names(Set<Condition.Interface> interfaces, boolean incoming) {
        return interfaces.stream()
                .filter(one -> one.incoming() == incoming)
                .map(Condition.Interface::name)
                .toList();
    }

    private void address(Field field, String option, String range) throws UnsayableException {
        said.add(field);
        Conjunct.Bits bits = conjunct.bits().get(field);
        if (bits != null) {
            String value = Words.address(bits.value(), v6);
            add(" %s %s/%s".formatted(option, value, Words.address(bits.mask(), v6)));
        }
        ValueSet set = conjunct.of(field);
        if (set == null) {
            return;
        }
        if (bits != null) {
            throw new UnsayableException("it asks for %s in two ways".formatted(field.label()));
        }
        Range missing = Words.missing(set, field.bits());
        if (missing != null) {
            add(" " + address(missing, "! " + option, "-m iprange ! " + range));
            return;
        }
        List<String> options = new ArrayList<>();
        for (Range one : set.ranges()) {
            options.add(" " + address(one, option, "-m iprange " + range));
        }
        add(options);
    }

    private String address(Range range, String option, String of) {
        String prefix = Words.prefix(range, v6);
        return prefix != null
                ? option + " " + prefix
                : "%s %s-%s"
                        .formatted(
                                of,
                                Words.address(range.low(), v6),
                                Words.address(range.high(), v6));
    }

    /** Leaves out that nftables reads no protocol behind an authentication header of IPv6. */
    private void authentication() throws UnsayableException {
        said.add(Field.SPI_PRESENT);
        BigInteger present = conjunct.single(Field.SPI_PRESENT);
        if (present != null && (present.signum() != 0 || conjunct.of(Field.IP_PROTO) == null)) {
            throw new UnsayableException("it asks for packets with an SPI, or without one");
        }
        if (present != null && v6 && !wholePackets) {
            throw new UnsayableException(
                    "it leaves out packets with an authentication header; add --whole-packets to convert without these");
        }
    }

    private int extensions() {
        Conjunct.Bits bits = conjunct.bits().get(Field.IPV6_EXTENSIONS);
        return bits == null || !bits.value().equals(bits.mask()) ? 0 : bits.mask().intValue();
    }

    private void extension() throws UnsayableException {
        said.add(Field.IPV6_EXTENSIONS);
        if (conjunct.bits().containsKey(Field.IPV6_EXTENSIONS)) {
            if (extensions() != Field.EXTENSION_FRAGMENT || !v6) {
                throw new UnsayableException("it asks for headers of IPv6 in a way of its own");
            }
            add(" -m frag");
        }
    }

    private void length() throws UnsayableException {
        said.add(Field.IP_LENGTH);
        ValueSet set = conjunct.of(Field.IP_LENGTH);
        if (set != null) {
            List<String> options = new ArrayList<>();
            for (Range range : set.ranges()) {
                options.add(" -m length --length " + range.low() + ":" + range.high());
            }
            add(options);
        }
    }

    private void fragment() throws UnsayableException {
        said.add(Field.FRAGMENT);
        Conjunct.Bits bits = conjunct.bits().get(Field.FRAGMENT);
        int mask = bits == null ? 0 : bits.mask().intValue();
        int value = bits == null ? 0 : bits.value().intValue();
        if (bits == null && conjunct.of(Field.FRAGMENT) == null) {
            return;
        }
        if (v6 && mask == 2 && value == 0 && extensions() == Field.EXTENSION_FRAGMENT) {
            add(" -m frag --fragfirst");
            return;
        }
        if (mask != 2 || v6) {
            throw new UnsayableException("it asks for fragments in a way that -f does not");
        }
        add(value == 0 ? " ! -f" : " -f");
    }

    private void protocol() throws UnsayableException {
        said.addAll(
                Set.of(
                        Field.IP_PROTO,
                        Field.PORTS_PRESENT,
                        Field.SRC_PORT,
                        Field.DST_PORT,
                        Field.TCP_FLAGS));
        ValueSet set = conjunct.of(Field.IP_PROTO);
        BigInteger present = conjunct.single(Field.PORTS_PRESENT);
        if (present != null && present.signum() == 0) {
            throw new UnsayableException("it asks for packets without ports");
        }
        boolean ports =
                conjunct.of(Field.SRC_PORT) != null
                        || conjunct.of(Field.DST_PORT) != null
                        || conjunct.bits().containsKey(Field.TCP_FLAGS);
        if (ports && present == null && !wholePackets) {
            throw new UnsayableException(
                    "it reads the ports of fragments that have none; add --whole-packets to leave these out");
        }
        if (!ports && (present == null || wholePackets && set == null)) {
            if (set != null) {
                add(protocols(set));
            }
            return;
        }
        if (set == null) {
            throw new UnsayableException("it asks for ports, and for no protocol that has some");
        }
        IptablesTransport transport = new IptablesTransport(conjunct, v6);
        List<String> options = new ArrayList<>();
        for (int protocol : IptablesTransport.values(set)) {
            options.addAll(transport.lines(protocol));
        }
        add(options);
    }

    private static List<String> protocols(ValueSet set) throws UnsayableException {
        Range missing = Words.missing(set, Field.IP_PROTO.bits());
        if (missing != null && missing.low().equals(missing.high())) {
            return List.of(" ! -p " + missing.low());
        }
        List<String> options = new ArrayList<>();
        for (int protocol : IptablesTransport.values(set)) {
            options.add(" -p " + protocol);
        }
        return options;
    }

    private void masked(Field field, String option) throws UnsayableException {
        said.add(field);
        Conjunct.Bits bits = conjunct.bits().get(field);
        if (bits != null) {
            add("%s0x%x/0x%x".formatted(option, bits.value(), bits.mask()));
        }
        ValueSet set = conjunct.of(field);
        if (set != null) {
            List<String> options = new ArrayList<>();
            for (ValueSet.Prefix prefix : set.prefixes(field.bits())) {
                options.add(option + "0x%x/0x%x".formatted(prefix.value(), prefix.mask()));
            }
            add(options);
        }
    }

    private void ttl() throws UnsayableException {
        said.add(Field.TTL);
        ValueSet set = conjunct.of(Field.TTL);
        if (set == null) {
            return;
        }
        String module = v6 ? " -m hl --hl-" : " -m ttl --ttl-";
        List<String> options = new ArrayList<>();
        for (Range range : set.ranges()) {
            int low = range.low().intValue();
            int high = range.high().intValue();
            options.add(
                    low == high
                            ? module + "eq " + low
                            : (low == 0 ? "" : module + "gt " + (low - 1))
                                    + (high == 0xff ? "" : module + "lt " + (high + 1)));
        }
        add(options);
    }

    /** A mark or TTL that the packet has not. */
    private void fails(Condition failed) throws UnsayableException {
        if (failed instanceof Condition.Bits bits && bits.field().equals(Field.MARK)) {
            add(" -m mark ! --mark 0x%x/0x%x".formatted(bits.value(), bits.mask()));
        } else if (failed instanceof Condition.In in && in.values().ranges().size() == 1) {
            Range range = in.values().ranges().get(0);
            boolean one = range.low().equals(range.high());
            if (in.field().equals(Field.IP_LENGTH)) {
                add(" -m length ! --length " + range.low() + ":" + range.high());
            } else if (in.field().equals(Field.MARK) && one) {
                add(" -m mark ! --mark " + range.low());
            } else if (in.field().equals(Field.TTL) && one) {
                add((v6 ? " -m hl ! --hl-eq " : " -m ttl ! --ttl-eq ") + range.low());
            } else {
                throw new UnsayableException("iptables negates no range of " + in.field());
            }
        } else {
            throw new UnsayableException("iptables does not negate this");
        }
    }

    private void mac() throws UnsayableException {
        said.addAll(Set.of(Field.ETH_SRC, Field.ETH_SRC_PRESENT));
        ValueSet set = conjunct.of(Field.ETH_SRC);
        if (set == null) {
            if (conjunct.of(Field.ETH_SRC_PRESENT) != null) {
                throw new UnsayableException("it asks for packets with a source MAC address");
            }
            return;
        }
        Range missing = Words.missing(set, Field.ETH_SRC.bits());
        if (missing != null && missing.low().equals(missing.high())) {
            add(" -m mac ! --mac-source " + Words.mac(missing.low()));
            return;
        }
        List<String> options = new ArrayList<>();
        for (Range range : set.ranges()) {
            if (!range.low().equals(range.high())) {
                throw new UnsayableException("it asks for a range of MAC addresses");
            }
            options.add(" -m mac --mac-source " + Words.mac(range.low()));
        }
        add(options);
    }
}
