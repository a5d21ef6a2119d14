package dev.sluice.policy.nft;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.HostZone;
import dev.sluice.policy.model.ValueSet;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Conditions of match statements. */
final class Matches {
    private final Loads loads;
    private final Lookups lookups;
    private final @Nullable HostZone zone;

    /**
     * Matches of a rule.
     *
     * @param zone time zone of the host; null: unknown
     */
    Matches(Loads loads, Lookups lookups, @Nullable HostZone zone) {
        this.loads = loads;
        this.lookups = lookups;
        this.zone = zone;
    }

    /** The condition of a match. */
    Condition of(Node match) throws RefusedException {
        Node left = match.need("left");
        Node right = match.need("right");
        String operator = match.text("op");
        if (left.key().matches("[&|^]")) {
            return masked(left, right, operator);
        }
        List<Loading> parts = lookups.loads(left);
        boolean negated = operator.equals("!=");
        Condition time = time(match, left, operator, right);
        if (time != null) {
            return time;
        }
        if (right.text().startsWith("@") && right.text().length() > 1) {
            requireEquality(match, operator);
            NamedSet set = lookups.named(right, parts, false);
            parts = lookups.ofNamed(left, parts);
            if (set.changes()) {
                return Lookups.where(parts, new Condition.Unknown("elements of " + right.text()));
            }
            Condition among = lookups.among(parts, set.elements());
            return Lookups.where(parts, negated ? Condition.not(among) : among);
        }
        if (right.key().equals("set")) {
            requireEquality(match, operator);
            requirePlain(right);
            if (parts.size() > 1) {
                Conflicts.check(Lookups.types(parts), right.inner().list());
            } else if (negated && parts.get(0).type() == DataType.ROUTE_TYPE) {
                Loading type = parts.get(0);
                return type.where(compared(match, type, right, operator));
            }
            Condition among = lookups.among(parts, right.inner().list());
            if (parts.size() == 1 && !negated) {
                loads.named().narrow(parts.get(0), right.inner().list());
            }
            return Lookups.where(parts, negated ? Condition.not(among) : among);
        }
        if (parts.size() > 1) {
            requireEquality(match, operator);
            Condition among = lookups.among(parts, List.of(right));
            return Lookups.where(parts, negated ? Condition.not(among) : among);
        }
        Loading load = parts.get(0);
        Condition path =
                operator.matches("|==|!=") ? loads.reversePath(left, right, negated) : null;
        if (path != null) {
            return path;
        }
        if (load instanceof Loading.Unseen unseen) {
            boolean exists = right.text().matches("exists|missing|true|false|[01]");
            if (exists && left.key().equals("fib")) {
                return unseen.compared(Node.of(match.at(), "match", match).words());
            }
            if (unseen.type() == DataType.NAME) {
                Lookups.name(new Loading.OfInterface(DataType.NAME, true), right);
            } else if (unseen.type() != DataType.UNSEEN && !operator.matches("in|!")) {
                Values.of(right, unseen.type());
            }
            String words = Node.of(match.at(), "match", match).words();
            Condition tracked =
                    ConnectionBits.compared(
                            unseen.type(), operator, right, new Condition.Unknown(words));
            return tracked == null ? unseen.compared(words) : tracked;
        }
        if (load instanceof Loading.OfInterface of) {
            requireEquality(match, operator);
            Condition name = Lookups.name(of, right);
            return negated ? Condition.not(name) : name;
        }
        return load.where(compared(match, load, right, operator));
    }

    /** The condition of a match on the time; null: it is of something else, or unknown. */
    private @Nullable Condition time(Node match, Node left, String operator, Node right)
            throws RefusedException {
        String key = left.key().equals("meta") ? left.inner().text("key") : "";
        boolean named =
                right.text().startsWith("@") || !Set.of("hour", "day", "time").contains(key);
        return named
                ? null
                : new TimeConditions(zone, Node.of(match.at(), "match", match).words())
                        .of(key, operator, right);
    }

    private static void requirePlain(Node set) throws RefusedException {
        for (Node element : set.inner().list()) {
            if (element.isList() && element.list().size() == 2) {
                throw element.refused(
                        "is an element of a map; write a value, or vmap before the set");
            }
        }
    }

    private static void requireEquality(Node match, String operator) throws RefusedException {
        if (!operator.matches("|==|!=")) {
            throw match.refused(
                    "compares with a set or a name by %s; write == or !=".formatted(operator));
        }
    }

    private Condition compared(Node match, Loading load, Node right, String given)
            throws RefusedException {
        DataType type = load.type();
        boolean several = right.key().equals("range") || right.key().equals("prefix");
        String operator = given;
        if (given.isEmpty()) {
            operator = type.isBits() && !several ? "in" : "==";
        }
        switch (operator) {
            case "in", "!" -> {
                if (!type.isBits()) {
                    throw match.refused("asks for bits of what has none; write ==");
                }
                BigInteger mask = Values.one(right, type);
                Condition none = load.bits(BigInteger.ZERO, mask);
                return operator.equals("!") ? none : Condition.not(none);
            }
            case "==", "!=" -> {
                ValueSet values = Values.of(right, type);
                if (operator.equals("==")) {
                    loads.named().narrow(load, values);
                }
                return operator.equals("==") ? load.in(values) : load.notIn(values);
            }
            default -> {
                BigInteger value = Values.one(right, type);
                BigInteger most = ValueSet.ones(type.bits());
                ValueSet values =
                        switch (operator) {
                            case "<" ->
                                    ValueSet.of(BigInteger.ZERO, value.subtract(BigInteger.ONE));
                            case "<=" -> ValueSet.of(BigInteger.ZERO, value);
                            case ">" -> ValueSet.of(value.add(BigInteger.ONE), most);
                            case ">=" -> ValueSet.of(value, most);
                            default ->
                                    throw match.refused(
                                            "compares by an operator that Sluice does not read; write"
                                                    + " ==, !=, <, >, <= or >=");
                        };
                if (values.ranges().isEmpty()) {
                    throw right.refused("leaves no value; write another one");
                }
                return load.in(values);
            }
        }
    }

    /**
     * A field's value under constants: the bits of a mask, some of them flipped.
     *
     * @param flipped bits that may be outside of the mask: they are 1 whatever the value is
     */
    private record Bitwise(BigInteger mask, BigInteger flipped) {
        static Bitwise of(Node node, DataType type) throws RefusedException {
            if (!node.key().matches("[&|^]")) {
                BigInteger all = ValueSet.ones(type.bits());
                return new Bitwise(all, BigInteger.ZERO);
            }
            Bitwise inner = of(node.inner().side(0), type);
            BigInteger constant = Values.one(node.inner().side(1), type);
            return switch (node.key()) {
                case "&" -> new Bitwise(inner.mask.and(constant), inner.flipped.and(constant));
                case "|" -> new Bitwise(inner.mask.andNot(constant), inner.flipped.or(constant));
                default -> new Bitwise(inner.mask, inner.flipped.xor(constant));
            };
        }
    }

    /** {@code field & mask} and the like, compared with a value or a set of these. */
    private Condition masked(Node left, Node right, String operator) throws RefusedException {
        Node field = left;
        boolean masks = true;
        while (field.key().matches("[&|^]")) {
            masks &= field.key().equals("&");
            field = field.inner().side(0);
        }
        Loading load = loads.of(field);
        if (!masks && load.type() != DataType.MARK) {
            load = loads.of(left); // which is refused
        }
        if (load instanceof Loading.OfInterface) {
            throw field.refused("has a name, of which no bits are asked; compare it with a name");
        }
        List<Node> values = right.key().equals("set") ? right.inner().list() : List.of(right);
        if (load instanceof Loading.Unseen unseen) {
            if (unseen.type() != DataType.UNSEEN && unseen.type() != DataType.NAME) {
                BigInteger mask = Bitwise.of(left, unseen.type()).mask;
                ValueSet asked = Values.of(right, unseen.type());
                boolean one = right.map().isEmpty() || right.key().equals("|");
                if (unseen.type() == DataType.CT_STATUS && masks && one) {
                    Condition tracked =
                            ConnectionBits.status(
                                    asked.ranges().get(0).low(),
                                    mask,
                                    !operator.equals("!="),
                                    new Condition.Unknown(unseen.words()));
                    if (tracked != null) {
                        return tracked;
                    }
                }
            }
            return load.where(Condition.ALWAYS);
        }
        boolean equal = operator.equals("==") || operator.isEmpty() && !load.type().isBits();
        if (!equal && !operator.equals("!=")) {
            throw right.refused("stands behind bits under a mask without == or !=; write one");
        }
        Bitwise bitwise = Bitwise.of(left, load.type());
        List<Condition> any = new ArrayList<>();
        for (Node one : values) {
            BigInteger value = Values.one(one, load.type()).xor(bitwise.flipped);
            any.add(load.bits(value, bitwise.mask));
        }
        Condition bits = Conditions.any(any);
        return load.where(equal ? bits : Condition.not(bits));
    }
}
