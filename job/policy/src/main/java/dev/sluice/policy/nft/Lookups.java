package dev.sluice.policy.nft;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ValueSet;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Look-ups of what is loaded in sets and maps. */
final class Lookups {
    private static final int MOST_NAME = 15;

    private final Table table;
    private final Loads loads;

    Lookups(Table table, Loads loads) {
        this.table = table;
        this.loads = loads;
    }

    /** The loads of an expression, one for each part of a concatenation. */
    List<Loading> loads(Node key) throws RefusedException {
        List<Loading> all = new ArrayList<>();
        if (!key.key().equals("concat")) {
            return List.of(loads.of(key));
        }
        for (Node part : key.inner().list()) {
            all.add(shifted(part, loads.of(part)));
        }
        if (all.isEmpty()) {
            throw key.refused("is a concatenation of nothing; write its parts");
        }
        return all;
    }

    /** Returns whether a part of an element is an interval. */
    static boolean isInterval(Node element) {
        Node plain = Values.plain(element);
        return plain.key().matches("range|prefix")
                || plain.key().equals("concat")
                        && plain.inner().list().stream().anyMatch(Lookups::isInterval);
    }

    /**
     * The loads of an expression that is looked up in a named set or map. The DSCP of IPv6 lies in
     * two bytes, which nft shifts as one number of the machine's own byte order: nobody knows the
     * result.
     */
    List<Loading> ofNamed(Node key, List<Loading> parts) {
        return parts.size() == 1 ? List.of(shifted(key, parts.get(0))) : parts;
    }

    private static Loading shifted(Node expression, Loading load) {
        return expression.words().equals("ip6 dscp")
                ? new Loading.Unseen(load.type(), Loads.V6, expression.words())
                : load;
    }

    /** The condition that all parts can be loaded and a condition on them holds. */
    static Condition where(List<Loading> parts, Condition value) {
        Condition all = value;
        for (Loading part : parts) {
            all = ConnectionBits.looked(part).where(all);
        }
        return all;
    }

    /** The set or map of a reference. */
    NamedSet named(Node reference, List<Loading> parts, boolean map) throws RefusedException {
        NamedSet set = table.sets().get(reference.text().substring(1));
        if (set == null || set.isMap() != map) {
            throw reference.refused(
                    "is no %s of table %s; make it above"
                            .formatted(map ? "map" : "set", table.name()));
        }
        List<DataType> types = types(set);
        if (types != null && types.size() != parts.size()) {
            throw reference.refused(
                    "has keys of %d parts, not of %d; look up as many"
                            .formatted(types.size(), parts.size()));
        }
        for (int i = 0; types != null && i < parts.size(); i++) {
            DataType own = parts.get(i).type();
            DataType its = types.get(i);
            if (own != DataType.UNSEEN && its != DataType.UNSEEN && own != its) {
                throw reference.refused(
                        "is a set of %s, in which %s cannot be looked up; name another set"
                                .formatted(its.label(), own.label()));
            }
        }
        return set;
    }

    /** The types of loaded values, of which those of unseen ones are not compared. */
    static List<DataType> types(List<Loading> parts) {
        return parts.stream()
                .map(part -> part instanceof Loading.Unseen ? DataType.UNSEEN : part.type())
                .toList();
    }

    /** The types of a set's key; null: Sluice does not know one of them. */
    @Nullable List<DataType> types(NamedSet set) throws RefusedException {
        List<DataType> all = new ArrayList<>();
        List<Node> names = set.types();
        Node typeof = set.declaration().get("typeof");
        Node type = set.declaration().get("type");
        Node expression = typeof != null ? typeof : type != null ? type.get("typeof") : null;
        if (expression != null) {
            Loads fresh = new Loads(table.family(), java.util.Set.of());
            for (Loading load : new Lookups(table, fresh).loads(expression)) {
                all.add(load.type());
            }
            return all;
        }
        for (Node name : names == null ? List.<Node>of() : names) {
            DataType one = DataType.named(name.text());
            if (one == null) {
                throw name.refused("is no type that Sluice knows; write one as in ipv4_addr");
            }
            all.add(one);
        }
        return all.isEmpty() ? null : all;
    }

    /** The condition that loaded values are among keys. */
    Condition among(List<Loading> loaded, List<Node> keys) throws RefusedException {
        List<Loading> parts = loaded.stream().map(ConnectionBits::looked).toList();
        if (parts.stream().anyMatch(Loading.Unseen.class::isInstance)) {
            for (Node key : keys) {
                requireValues(parts, Values.plain(key));
            }
            return Condition.ALWAYS;
        }
        Loading first = parts.get(0);
        boolean plain = parts.size() == 1 && !(first instanceof Loading.OfInterface);
        List<ValueSet.Range> ranges = new ArrayList<>();
        List<Condition> any = new ArrayList<>();
        for (Node key : keys) {
            Node value = Values.plain(key);
            if (value.is("*")) {
                return Condition.ALWAYS;
            }
            if (value.key().equals("set")) {
                any.add(among(parts, value.inner().list()));
            } else if (plain) {
                ranges.addAll(Values.of(value, first.type()).ranges());
            } else {
                any.add(tuple(parts, value));
            }
        }
        if (!ranges.isEmpty()) {
            any.add(first.in(new ValueSet(ranges)));
        }
        return Conditions.any(any);
    }

    /** Refuses a key whose parts are no values of what is looked up. */
    private static void requireValues(List<Loading> parts, Node key) throws RefusedException {
        if (key.key().equals("set")) {
            for (Node inner : key.inner().list()) {
                requireValues(parts, Values.plain(inner));
            }
            return;
        }
        List<Node> values = key.is("*") ? List.of() : Values.parts(key);
        for (int i = 0; i < Math.min(values.size(), parts.size()); i++) {
            DataType type = parts.get(i).type();
            if (type == DataType.NAME) {
                name(new Loading.OfInterface(type, true), values.get(i));
            } else if (type != DataType.UNSEEN && type != DataType.INDEX) {
                Values.of(values.get(i), type);
            }
        }
    }

    private static Condition tuple(List<Loading> parts, Node value) throws RefusedException {
        List<Node> values = Values.parts(value);
        if (values.size() != parts.size()) {
            throw value.refused(
                    "has %d parts, not %d; write as many as are looked up"
                            .formatted(values.size(), parts.size()));
        }
        List<Condition> all = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            Loading part = parts.get(i);
            Node one = values.get(i);
            all.add(
                    part instanceof Loading.OfInterface of
                            ? name(of, one)
                            : part.in(Values.of(one, part.type())));
        }
        return Conditions.all(all);
    }

    /** The condition that an interface has a name. */
    static Condition name(Loading.OfInterface of, Node node) throws RefusedException {
        String name = node.text();
        boolean prefix = name.endsWith("*") && !name.endsWith("\\*");
        String plain = prefix ? name.substring(0, name.length() - 1) : name.replace("\\*", "*");
        if (!node.isText()
                || plain.isEmpty()
                || plain.length() > MOST_NAME
                || Keywords.isWord(plain)) {
            throw node.refused("is no name that nft takes; write 1 to 15 characters");
        }
        if (of.type() == DataType.INDEX) {
            if (prefix) {
                throw node.refused("is a prefix of names; write iifname or oifname");
            }
            if (plain.matches("[0-9]+")) {
                return new Condition.Unknown("the interface of number " + plain);
            }
        }
        if (!prefix && plain.endsWith("+")) {
            throw node.refused("ends with +, which Sluice takes for a prefix; name it otherwise");
        }
        return new Condition.Interface(of.incoming(), prefix ? plain + "+" : plain);
    }
}
