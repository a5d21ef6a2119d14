package dev.sluice.policy.iptables;

import static dev.sluice.policy.model.Condition.is;

import dev.sluice.policy.Literals;
import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.policy.model.Vantage;
import dev.sluice.schemas.header.Field;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Conditions that the options of understood match modules make of their arguments. */
final class MatchOptions {
    private static final long MOST_WORD = 0xffffffffL;
    private static final long MOST_LENGTH = 0xffff;

    /** The bit of a MAC address that tells groups. */
    private static final BigInteger GROUP = BigInteger.ONE.shiftLeft(40);

    private static final Map<String, Integer> TOS =
            Map.of(
                    "minimize-delay", 0x10,
                    "maximize-throughput", 0x08,
                    "maximize-reliability", 0x04,
                    "minimize-cost", 0x02,
                    "normal-service", 0x00);

    private final RuleWords rule;
    private final DumpFacts facts;

    MatchOptions(RuleWords rule, DumpFacts facts) {
        this.rule = rule;
        this.facts = facts;
    }

    /** A condition on the header of TCP or UDP, for which nftables reads a later fragment, too. */
    Condition ofPayload(Condition condition) {
        return facts.nft() ? Vantage.orUnknownLater(condition) : condition;
    }

    /** Reads the arguments of an option. */
    void read(String module, String option, boolean negated) throws RuleSyntaxException {
        if (option.equals("--sport") || option.equals("--dport")) {
            ValueSet ports = Ports.range(rule.next("a port"), ':');
            Field field = option.equals("--sport") ? Field.SRC_PORT : Field.DST_PORT;
            if (!facts.nft() || !negated || !ports.equals(Ports.ALL)) { // iptables-nft drops it
                rule.add(ofPayload(Ports.in(field, ports, negated)), false);
            }
            return;
        }
        known(module, option, negated);
    }

    private void known(String module, String option, boolean negated) throws RuleSyntaxException {
        switch (module) {
            case "tcp" -> {
                Condition flags =
                        option.equals("--syn")
                                ? new Condition.Bits(Field.TCP_FLAGS, 0x02, 0x17)
                                : Ports.flags(rule.next("flags"), rule.next("flags"));
                rule.add(ofPayload(Ports.PRESENT), false);
                rule.add(ofPayload(flags), negated);
            }
            case "icmp", "icmp6" -> {
                Condition type = Ports.icmpType(rule.next("a type"), module.equals("icmp6"));
                rule.add(Ports.PRESENT, false);
                rule.add(type == null ? Condition.ALWAYS : type, negated);
            }
            case "multiport" -> multiport(option, negated);
            case "iprange" -> {
                Word range = rule.next("a range of addresses");
                Addresses addresses = new Addresses(facts.v6());
                Field field = addresses.field(option.equals("--src-range"));
                rule.add(new Condition.In(field, addresses.range(range)), negated);
            }
            case "set" -> {
                if (option.equals("--match-set")) {
                    rule.add(
                            facts.sets()
                                    .condition(
                                            rule.next("a set"),
                                            rule.next("src or dst"),
                                            facts.v6()),
                            negated);
                }
            }
            case "state", "conntrack" -> {
                rule.add(states(rule.next("states")), negated);
                if (module.equals("conntrack")) {
                    rule.asksState();
                }
            }
            case "mac" -> mac(negated);
            case "length" -> {
                ValueSet some = numbers(rule.next("a length"), MOST_LENGTH);
                rule.add(new Condition.In(Field.IP_LENGTH, some), negated);
            }
            case "pkttype" -> rule.add(packetType(rule.next("a type of packets")), negated);
            case "ah", "esp" -> {
                ValueSet some = numbers(rule.next("an SPI"), MOST_WORD);
                rule.add(Ports.in(Field.SPI, some, negated), false);
            }
            case "ecn" -> ecn(option, negated);
            case "mark" -> rule.add(mark(rule.next("a mark")), negated);
            case "addrtype" -> {
                if (!option.startsWith("--limit")) {
                    Addresses addresses = new Addresses(facts.v6());
                    boolean ofOne = rule.hasBegin("--limit-i");
                    Word types = rule.next("types");
                    rule.add(addresses.types(option.equals("--src-type"), types, ofOne), negated);
                }
            }
            case "dscp", "tos" -> rule.add(tos(option), negated);
            case "ttl", "hl" -> rule.add(ttl(option), negated);
            default -> frag(option, negated);
        }
    }

    private void mac(boolean negated) throws RuleSyntaxException {
        Word mac = rule.next("a MAC address");
        if (mac.text().matches("([Xx]{2}[:-]){5}[Xx]{2}")) {
            if (!facts.skip()) {
                throw mac.refused(
                        "is a MAC address that somebody made unreadable; add --skip-unsupported to judge as if it might be any",
                        "unreadable MAC address");
            }
            rule.unknown("mac", "--mac-source " + mac.text());
            rule.note("%s: is unreadable, and may be any MAC address".formatted(mac.text()));
            return;
        }
        ValueSet one = ValueSet.of(Literals.mac(mac.text(), mac.column()));
        rule.add(Ports.in(Field.ETH_SRC, one, negated), false);
    }

    /** A number, or a range whose ends a colon parts; no end is the least or most. */
    private static ValueSet numbers(Word word, long most) throws RuleSyntaxException {
        int colon = word.text().indexOf(':');
        if (colon < 0) {
            return ValueSet.of(word.number(most));
        }
        Word low = word.upTo(colon);
        Word high = word.from(colon + 1);
        return ValueSet.of(
                low.text().isEmpty() ? 0 : low.number(most),
                high.text().isEmpty() ? most : high.number(most));
    }

    /** The type that the frame's destination tells; it is unknown of packets without a frame. */
    private static Condition packetType(Word word) throws RuleSyntaxException {
        Condition group = new Condition.Bits(Field.ETH_DST, GROUP, GROUP);
        Condition all = is(Field.ETH_DST, 0xffffffffffffL);
        Condition type =
                switch (word.text().toLowerCase(Locale.ROOT)) {
                    case "unicast", "host" -> Condition.not(group);
                    case "broadcast", "bcast" -> all;
                    case "multicast", "mcast" -> Condition.all(group, Condition.not(all));
                    default ->
                            throw word.refused(
                                    "is no type of packets; write unicast, broadcast or multicast");
                };
        return Condition.any(
                Condition.all(is(Field.ETH_DST_PRESENT, 1), type),
                Condition.all(
                        is(Field.ETH_DST_PRESENT, 0),
                        new Condition.Unknown("--pkt-type of a packet without a frame")));
    }

    private void ecn(String option, boolean negated) throws RuleSyntaxException {
        if (option.equals("--ecn-ip-ect")) {
            int codepoint = (int) rule.next("a codepoint").number(3);
            rule.add(new Condition.Bits(Field.TOS, codepoint, 3), negated);
            return;
        }
        int flag = option.equals("--ecn-tcp-cwr") ? 0x80 : 0x40;
        Condition bit = new Condition.Bits(Field.TCP_FLAGS, flag, flag);
        Condition whole = Condition.all(Ports.PRESENT, negated ? Condition.not(bit) : bit);
        rule.add(Vantage.orUnknownLater(whole), false);
    }

    private void multiport(String option, boolean negated) throws RuleSyntaxException {
        Word list = rule.next("ports");
        ValueSet ports = Ports.list(list);
        Condition source = Ports.in(Field.SRC_PORT, ports, negated);
        Condition destination = Ports.in(Field.DST_PORT, ports, negated);
        switch (option) {
            case "--sports" -> rule.add(source, false);
            case "--dports" -> rule.add(destination, false);
            default -> {
                List<Condition> both = List.of(source, destination);
                rule.add(negated ? new Condition.All(both) : new Condition.Any(both), false);
            }
        }
    }

    private static Condition states(Word words) throws RuleSyntaxException {
        Set<ConnectionState> states = EnumSet.noneOf(ConnectionState.class);
        List<Condition> any = new ArrayList<>();
        for (String state : words.text().toUpperCase(Locale.ROOT).split(",", -1)) {
            if (state.equals("SNAT") || state.equals("DNAT")) {
                any.add(new Condition.Unknown("--ctstate " + state));
                continue;
            }
            try {
                states.add(ConnectionState.valueOf(state));
            } catch (IllegalArgumentException e) {
                throw words.refused(
                        "names no state; write some of NEW, ESTABLISHED, RELATED, INVALID, UNTRACKED");
            }
        }
        any.add(new Condition.InState(states));
        return any.size() == 1 ? any.get(0) : new Condition.Any(any);
    }

    /** A mark, which is 0 of a packet that states none. */
    private static Condition mark(Word word) throws RuleSyntaxException {
        long[] masked = RuleWords.masked(word, MOST_WORD);
        int value = (int) masked[0];
        int mask = (int) masked[1];
        if ((value & ~mask) != 0) {
            return Condition.NEVER; // the kernel compares the mark under the mask with all bits
        }
        if (mask == 0) {
            return Condition.ALWAYS;
        }
        Condition stated = new Condition.Bits(Field.MARK, value, mask);
        return value == 0 ? Condition.any(stated, is(Field.MARK_PRESENT, 0)) : stated;
    }

    private Condition tos(String option) throws RuleSyntaxException {
        Word word = rule.next("a value");
        if (option.equals("--dscp-class")) {
            return new Condition.Bits(Field.TOS, dscpClass(word) << 2, 0xfc);
        }
        if (option.equals("--dscp")) {
            int dscp = (int) word.number(0x3f);
            return new Condition.Bits(Field.TOS, dscp << 2, 0xfc);
        }
        Integer named = TOS.get(word.text().toLowerCase(Locale.ROOT));
        long[] tos = named == null ? RuleWords.masked(word, 0xff) : new long[] {named, 0x3f};
        return (tos[0] & ~tos[1]) != 0
                ? Condition.NEVER
                : new Condition.Bits(Field.TOS, (int) tos[0], (int) tos[1]);
    }

    private static int dscpClass(Word word) throws RuleSyntaxException {
        String name = word.text().toUpperCase(Locale.ROOT);
        if (name.equals("BE")) {
            return 0;
        }
        if (name.equals("EF")) {
            return 46;
        }
        if (name.matches("CS[0-7]")) {
            return (name.charAt(2) - '0') << 3;
        }
        if (name.matches("AF[1-4][1-3]")) {
            return (name.charAt(2) - '0') << 3 | (name.charAt(3) - '0') << 1;
        }
        throw word.refused("is no class; write BE, EF, CS0 to CS7 or AF11 to AF43");
    }

    private Condition ttl(String option) throws RuleSyntaxException {
        Word word = rule.next("a number");
        long number = word.number(0xff);
        ValueSet values =
                option.endsWith("-lt")
                        ? ValueSet.of(0, number - 1)
                        : option.endsWith("-gt")
                                ? ValueSet.of(number + 1, 0xff)
                                : ValueSet.of(number);
        return new Condition.In(Field.TTL, values);
    }

    /** Fragments of IPv6; of a later one the header fields do not tell whether more follow. */
    private void frag(String option, boolean negated) throws RuleSyntaxException {
        Condition later =
                Condition.all(
                        new Condition.Bits(Field.FRAGMENT, 2, 2), new Condition.Unknown(option));
        switch (option) {
            case "--fragid" ->
                    rule.add(
                            Ports.in(
                                    Field.IP_ID,
                                    numbers(rule.next("a number"), MOST_WORD),
                                    negated),
                            false);
            case "--fragfirst" -> rule.add(new Condition.Bits(Field.FRAGMENT, 0, 2), false);
            case "--fragmore" ->
                    rule.add(Condition.any(is(Field.FRAGMENT, Field.FRAGMENT_FIRST), later), false);
            default ->
                    rule.add(Condition.any(is(Field.FRAGMENT, Field.FRAGMENT_NONE), later), false);
        }
    }
}
