package dev.sluice.policy.convert;

import dev.sluice.engine.rules.Match;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.HeaderValues;
import dev.sluice.policy.model.Origin;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderWord;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Rule of a list on its way into another format.
 *
 * @param where file and line, for refusals
 * @param text its own words
 */
record ConvertedRule(String where, String text, Match match, String action) {
    static final int IPV6_BITS = 128;
    private static final String PERMITS = "accept|ACCEPT|permit|pass|allow|NORMAL|RETURN";
    private static final String DENIES = "drop|DROP|deny|reject|REJECT";

    /** Fields of a packet's ends, which each format can ask for. */
    static final Set<Field> OF_ENDS =
            Set.of(
                    Field.IP_VERSION,
                    Field.ETH_TYPE,
                    Field.IPV4_SRC,
                    Field.IPV4_DST,
                    Field.IPV6_SRC,
                    Field.IPV6_DST,
                    Field.IP_PROTO,
                    Field.SPI_PRESENT,
                    Field.PORTS_PRESENT,
                    Field.SRC_PORT,
                    Field.DST_PORT);

    /** Fields that flows of OpenFlow and rules of nft can ask for. */
    static final Set<Field> SAID =
            Stream.concat(
                            OF_ENDS.stream(),
                            Stream.of(
                                    Field.FRAGMENT,
                                    Field.TCP_FLAGS,
                                    Field.TTL,
                                    Field.TTL_PRESENT,
                                    Field.TOS,
                                    Field.MARK,
                                    Field.MARK_PRESENT,
                                    Field.ETH_SRC,
                                    Field.ETH_SRC_PRESENT,
                                    Field.ETH_DST,
                                    Field.ETH_DST_PRESENT))
                    .collect(Collectors.toUnmodifiableSet());

    /** Protocols of packets with an SPI. */
    private static final Set<Integer> OF_SPI = Set.of(50, 51);

    /** The refusal of what a format cannot say. */
    SluiceException refused(String format, String why) {
        return refused(where, text, format, why);
    }

    /** The refusal of a policy's rule that a format cannot say. */
    static SluiceException refused(PolicyRule rule, String format, String why) {
        Origin of = rule.origin();
        return refused(of.file() + ":" + of.line(), of.text(), format, why);
    }

    private static SluiceException refused(String where, String text, String format, String why) {
        return new SluiceException(
                "%s: '%s' cannot be said in %s: %s".formatted(where, text, format, why));
    }

    /**
     * Returns whether the rule lets packets pass.
     *
     * @throws SluiceException if its action says neither
     */
    boolean permits(String format) {
        if (action.matches(PERMITS)) {
            return true;
        }
        if (action.matches(DENIES)) {
            return false;
        }
        throw refused(
                format,
                "its action %s neither permits nor denies; give it accept or drop"
                        .formatted(action));
    }

    int mask(Field field) {
        return field.extract(match.mask(field.word()));
    }

    int value(Field field) {
        return field.extract(match.value(field.word()));
    }

    /** Returns whether it asks for a field. */
    boolean asks(Field field) {
        if (field.equals(Field.SRC_PORT) && match.srcPorts() != Match.ANY_PORT
                || field.equals(Field.DST_PORT) && match.dstPorts() != Match.ANY_PORT) {
            return true;
        }
        return field.bits() > Integer.SIZE
                ? HeaderValues.of(masks(), field).signum() != 0
                : mask(field) != 0;
    }

    /** Refuses fields that are not among some. */
    void requireOnly(Set<Field> said, String format) {
        for (Field field : Field.values()) {
            if (asks(field) && !said.contains(field)) {
                throw refused(format, "it asks for " + field.label());
            }
        }
    }

    /** The masks of all words. */
    int[] masks() {
        int[] words = new int[HeaderWord.COUNT];
        Arrays.setAll(words, match::mask);
        return words;
    }

    /** The values of all words. */
    int[] values() {
        int[] words = new int[HeaderWord.COUNT];
        Arrays.setAll(words, match::value);
        return words;
    }

    /** Returns whether it asks for packets that have a field, by its present bit. */
    boolean has(Field present) {
        return mask(present) == 1 && value(present) == 1;
    }

    /** Returns whether it asks for packets that lack a field. */
    boolean lacks(Field present) {
        return mask(present) == 1 && value(present) == 0;
    }

    /**
     * Refuses a rule that tells packets apart by an SPI; one of nftables leaves out packets of IPv6
     * with an authentication header.
     *
     * @param wholePackets whether there are no such packets
     */
    void requireNoSpi(String format, int version, boolean wholePackets) {
        boolean never = mask(Field.IP_PROTO) == 0xff && !OF_SPI.contains(value(Field.IP_PROTO));
        if (asks(Field.SPI_PRESENT) && !(never && lacks(Field.SPI_PRESENT))) {
            throw refused(format, "it asks for packets with an SPI, or without one");
        }
        if (lacks(Field.SPI_PRESENT) && version == Field.VERSION_6 && !wholePackets) {
            throw refused(
                    format,
                    "it leaves out packets with an authentication header; add --whole-packets to convert without these");
        }
    }

    /**
     * The IP version; {@link Field#VERSION_NONE} where it asks for none.
     *
     * @throws SluiceException if it asks for a part of it
     */
    int version(String format) {
        if (mask(Field.IP_VERSION) == 3) {
            return value(Field.IP_VERSION);
        }
        if (mask(Field.ETH_TYPE) == 0xffff) {
            return switch (value(Field.ETH_TYPE)) {
                case 0x0800 -> Field.VERSION_4;
                case 0x86dd -> Field.VERSION_6;
                default -> Field.VERSION_NONE;
            };
        }
        if (mask(Field.IP_VERSION) != 0) {
            throw refused(format, "it asks for several versions of IP");
        }
        return Field.VERSION_NONE;
    }

    /**
     * The ports of its packets.
     *
     * @param each makes the condition on one of the ports
     */
    Condition ports(Function<Condition.In, Condition> each) {
        List<Condition> any = new ArrayList<>();
        for (PortPairs.Pair pair : PortPairs.of(match.without(Field.PORTS_PRESENT))) {
            List<Condition> both = new ArrayList<>();
            if (!pair.isAnySource()) {
                ValueSet ports = ValueSet.of(pair.lowSource(), pair.highSource());
                both.add(each.apply(new Condition.In(Field.SRC_PORT, ports)));
            }
            if (!pair.isAnyDestination()) {
                ValueSet ports = ValueSet.of(pair.lowDestination(), pair.highDestination());
                both.add(each.apply(new Condition.In(Field.DST_PORT, ports)));
            }
            any.add(new Condition.All(both));
        }
        return any.size() == 1 ? any.get(0) : new Condition.Any(any);
    }

    /** The rule in the middle form. */
    PolicyRule toPolicyRule(String format) {
        List<Condition> all = new ArrayList<>(List.of(ports(one -> one)));
        for (Field field : Field.values()) {
            if (!asks(field) || field.equals(Field.SRC_PORT) || field.equals(Field.DST_PORT)) {
                continue;
            }
            if (field.bits() <= Integer.SIZE) {
                all.add(
                        mask(field) == field.extract(-1) && field.bits() < Integer.SIZE
                                ? Condition.is(field, value(field))
                                : new Condition.Bits(field, value(field), mask(field)));
                continue;
            }
            all.add(wide(field, format));
        }
        Outcome outcome = permits(format) ? Outcome.PERMIT : Outcome.DENY;
        return new PolicyRule(
                origin("FORWARD"), new Condition.All(all), new Effect.Decide(outcome), action);
    }

    /** Its place in the user's file, in a chain of a name. */
    Origin origin(String chain) {
        int colon = where.lastIndexOf(':');
        int line = Integer.parseInt(where.substring(colon + 1));
        return new Origin(where.substring(0, colon), line, chain, "", text, null);
    }

    /** A prefix of an IPv6 or MAC address. */
    private Condition wide(Field field, String format) {
        BigInteger mask = HeaderValues.of(masks(), field);
        BigInteger value = HeaderValues.of(values(), field);
        BigInteger free = ValueSet.ones(field.bits()).xor(mask);
        if (free.add(BigInteger.ONE).bitCount() != 1) {
            throw refused(format, "the mask of %s is no prefix".formatted(field.label()));
        }
        return new Condition.In(field, ValueSet.of(value, value.or(free)));
    }
}
