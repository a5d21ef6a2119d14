package dev.sluice.policy.nft;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Counters;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.HostZone;
import dev.sluice.policy.model.Origin;
import dev.sluice.policy.model.Outcome;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.Translation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Translator of one rule: its statements in order, each of which a packet must pass to come to the
 * next. A rule that looks up verdicts becomes several. Used once.
 */
final class RuleTranslator {
    private static final Set<String> EXPRESSIONS =
            Set.of(
                    "payload",
                    "meta",
                    "ct",
                    "exthdr",
                    "tcp option",
                    "ip option",
                    "sctp chunk",
                    "fib",
                    "rt",
                    "socket",
                    "osf",
                    "ipsec",
                    "numgen",
                    "jhash",
                    "symhash");

    private static final Effect PASS = new Effect.Decide(Outcome.PERMIT);
    private static final Effect STOP = new Effect.Decide(Outcome.DENY);

    private final Table table;
    private final Node rule;
    private final Loads loads;
    private final Lookups lookups;
    private final Matches matches;
    private final boolean marksCount;
    private final DraftedRules draft = new DraftedRules(this::origin);
    private final List<Condition> conditions = draft.conditions();
    private MergedNegations merged = new MergedNegations();
    private @Nullable Counters counters;
    private boolean ended;

    /** The condition of the packets that tracking is told to skip; null: it is not told to. */
    private @Nullable Condition untracked;

    /** Translation of destinations by the rule; null: none. */
    private @Nullable Translation translation;

    RuleTranslator(Table table, Node rule, RulesetFacts facts, @Nullable HostZone zone) {
        this.table = table;
        this.rule = rule;
        this.marksCount = facts.asksMark();
        this.loads = new Loads(table.family(), facts.changed());
        this.lookups = new Lookups(table, loads);
        this.matches = new Matches(loads, lookups, zone);
    }

    /** Reads the statements. */
    void read() throws RefusedException {
        List<Node> statements = rule.need("expr").list();
        for (Node statement : statements) {
            if (statement.key().equals("counter") && counters == null) {
                Node packets = statement.inner().get("packets");
                Node bytes = statement.inner().get("bytes");
                if (packets != null && bytes != null) {
                    counters =
                            new Counters(
                                    packets.number(63).longValue(), bytes.number(63).longValue());
                }
            }
        }
        for (Node statement : statements) {
            if (ended) {
                throw statement.refused(
                        "stands behind a verdict, where nothing comes to it; remove it");
            }
            statement(statement);
        }
    }

    /** Goes on behind a statement that is not understood: anything may become of the packet. */
    void skip(String words) {
        unknown("skipped: " + words);
        mark(DraftedRules.LOSS, "skipped");
        unknown("skipped: " + words);
        emit(PASS, "skipped");
        emit(STOP, "skipped");
        ended = true;
    }

    /** Adds the rules to the chains of their table; returns the first. */
    PolicyRule addTo(Map<String, List<PolicyRule>> chains) {
        return draft.addTo(chains);
    }

    @Nullable Condition untracked() {
        return untracked;
    }

    @Nullable Translation translation() {
        return translation;
    }

    /** The rule that translates; null: none does. */
    @Nullable PolicyRule translating() {
        return translation == null ? null : draft.last();
    }

    private void emit(Effect effect, String action) {
        draft.emit(effect, action);
    }

    /** Sets the mark, if a rule asks for it. */
    private void mark(Effect.Mark change, String action) {
        if (marksCount && draft.mark(change, action)) {
            merged = new MergedNegations(); // the places of conditions are others now
        }
    }

    Origin origin() {
        String text = rule.text("text");
        return new Origin(
                rule.at().file(),
                rule.at().line(),
                rule.text("chain"),
                rule.text("comment"),
                text.isEmpty() ? ruleWords() : text,
                counters);
    }

    /** The words of a rule that is read from JSON, with its handle. */
    private String ruleWords() {
        StringBuilder words = new StringBuilder();
        Node statements = rule.get("expr");
        for (Node statement : statements == null ? List.<Node>of() : statements.list()) {
            words.append(words.length() == 0 ? "" : " ").append(statement.words());
        }
        String handle = rule.text("handle");
        return words + (handle.isEmpty() ? "" : " # handle " + handle);
    }

    private void unknown(String words) {
        conditions.add(new Condition.Unknown(words));
    }

    private void statement(Node statement) throws RefusedException {
        Node value = statement.inner();
        switch (statement.key()) {
            case "match" -> match(value);
            case "vmap" -> verdictMap(value);
            case "counter" -> named(statement, "counter");
            case "log", "last", "ct helper", "ct timeout", "ct expectation" -> {}
            case "dup" -> loads.named().requireFamily(statement, "ip", "ip6", "netdev");
            case "fwd" -> {
                loads.named().requireFamily(statement, "netdev");
                decide(STOP, "fwd");
            }
            case "reset" -> conditions.add(loads.loaded(value));
            case "notrack" -> untracked = draft.asItComes(statement.words());
            case "limit", "quota" -> {
                named(statement, statement.key());
                unknown(statement.words());
            }
            case "ct count", "meter", "flow" -> unknown(statement.words());
            case "tproxy" -> {
                loads.named().requireTranslatable(statement, value);
                unknown(statement.words());
            }
            case "synproxy" -> {
                named(statement, "synproxy");
                List<Condition> before = List.copyOf(conditions);
                conditions.add(loads.handshake());
                emit(STOP, "synproxy");
                conditions.clear();
                conditions.addAll(before);
                conditions.add(Condition.not(loads.handshake()));
                conditions.add(loads.named().isTransport(Loads.TCP));
            }
            case "mangle" -> {
                Node key = value.need("key");
                if (key.inner().get("base") != null) {
                    throw key.refused(
                            "is set by its place, so that nobody knows which field changes; name the field");
                }
                conditions.add(loads.settable(key));
                Node set = value.need("value");
                loads.requireValue(set, loads.type(key));
                conditions.add(evaluated(set));
                if (MarkValues.isMark(key)) {
                    mark(MarkValues.change(set), "mark");
                }
            }
            case "set", "map" -> update(value);
            case "reject" -> {
                draft.before(loads.named().rejecting(statement, value));
                decide(STOP, "reject");
            }
            case "queue" -> {
                mark(DraftedRules.LOSS, "queue"); // the program may set it
                Condition all = draft.condition();
                conditions.add(new Condition.Unknown(statement.words()));
                emit(PASS, "queue");
                draft.restart(all);
                decide(STOP, "queue");
            }
            case "snat", "dnat", "masquerade", "redirect" -> {
                loads.named().requireTranslatable(statement, value);
                for (String part : List.of("addr", "port")) {
                    Node of = value.get(part);
                    if (of != null) {
                        NftDestinations.requireTarget(of, part.equals("addr"));
                        conditions.add(evaluated(of));
                    }
                }
                conditions.add(NftDestinations.version(value));
                decide(PASS, statement.key());
                translation = NftDestinations.of(statement, table.family());
            }
            case "xt" ->
                    throw statement.refused(
                            "is of iptables, whose words nft does not print; judge the output of"
                                    + " iptables-save, or add --skip-unsupported");
            case "skipped" -> skip("statements");
            default -> verdict(statement);
        }
    }

    private void match(Node match) throws RefusedException {
        Condition one = matches.of(match);
        Integer partner = merged.partner(match, conditions.size());
        if (partner == null) {
            conditions.add(one);
            return;
        }
        Condition other = conditions.get(partner);
        Condition unknown = new Condition.Unknown(match.words() + " beside another !=");
        conditions.set(
                partner,
                Condition.any(
                        Conditions.all(other, one),
                        Conditions.all(Condition.any(other, one), unknown)));
    }

    /** Refuses a name of no object. */
    private void named(Node statement, String kind) throws RefusedException {
        Node name = statement.inner();
        if (name.isText() && !table.objects().containsKey(kind + " " + name.text())) {
            throw name.refused("is no %s of table %s; make it above".formatted(kind, table.name()));
        }
        if (name.key().equals("map")) {
            conditions.add(evaluated(name));
        }
    }

    private void decide(Effect effect, String action) {
        emit(effect, action);
        ended = true;
    }

    private void verdict(Node statement) throws RefusedException {
        Effect effect = effect(statement);
        if (effect instanceof Effect.Continue) {
            return;
        }
        decide(effect, statement.words());
    }

    private Effect effect(Node verdict) throws RefusedException {
        return switch (verdict.key()) {
            case "accept" -> PASS;
            case "drop" -> STOP;
            case "return" -> new Effect.Return();
            case "continue" -> new Effect.Continue();
            case "jump" -> new Effect.Jump(target(verdict));
            case "goto" -> new Effect.Goto(target(verdict));
            default ->
                    throw verdict.refused(
                            "is no statement that Sluice reads; add --skip-unsupported: packets that it may decide"
                                    + " about then depend");
        };
    }

    private String target(Node verdict) throws RefusedException {
        String name = verdict.inner().needText("target");
        Chain chain = table.chains().get(name);
        if (chain == null || chain.isBase()) {
            throw verdict.inner()
                    .need("target")
                    .refused(
                            chain == null
                                    ? "is no chain of table %s; make it".formatted(table.name())
                                    : "is a chain with a hook, to which no rule leads; name another");
        }
        return name;
    }

    private void verdictMap(Node value) throws RefusedException {
        Node key = value.need("key");
        Node data = value.need("data");
        List<Loading> parts = lookups.loads(key);
        List<Node> elements;
        boolean changes = false;
        if (data.text().startsWith("@")) {
            NamedSet map = lookups.named(data, parts, true);
            parts = lookups.ofNamed(key, parts);
            if (!map.isVerdicts()) {
                throw data.refused("is no map of verdicts; name one");
            }
            elements = map.elements();
            changes = map.changes();
        } else if (data.key().equals("set")) {
            elements = data.inner().list();
            Conflicts.check(Lookups.types(parts), elements);
        } else {
            throw data.refused("is no map of verdicts; write { value : verdict }");
        }
        if (changes) {
            throw data.refused(
                    "is a map that rules change; add --skip-unsupported: packets that it may decide about then depend");
        }
        Map<String, Effect> effects = new TreeMap<>(); // whose order is free: keys are disjoint
        Map<Effect, List<Node>> keys = new HashMap<>();
        List<Node> all = new ArrayList<>();
        @Nullable Effect otherwise = null;
        for (Node element : elements) {
            if (!element.isList() || element.list().size() != 2) {
                throw element.refused("has no verdict; write it behind a colon");
            }
            Node verdict = element.list().get(1);
            Effect effect = effect(verdict);
            effects.put(verdict.words(), effect);
            if (Values.plain(element.list().get(0)).is("*")) {
                otherwise = effect;
            } else {
                keys.computeIfAbsent(effect, e -> new ArrayList<>()).add(element.list().get(0));
                all.add(element.list().get(0));
            }
        }
        if (parts.size() > 1
                && effects.size() > 1
                && all.stream().anyMatch(Lookups::isInterval)
                && !Overlap.isFree(parts, all)) {
            throw data.refused(
                    "is a map of concatenations with intervals that overlap, or with very many, of which the first that holds counts; write single values, or a rule for each element");
        }
        List<Condition> before = List.copyOf(conditions);
        Condition goesOn = Condition.NEVER;
        for (Map.Entry<String, Effect> one : effects.entrySet()) {
            List<Condition> any = new ArrayList<>();
            List<Node> own = keys.get(one.getValue());
            if (own != null) {
                any.add(lookups.among(parts, own));
            }
            if (one.getValue().equals(otherwise)) {
                any.add(Condition.not(lookups.among(parts, all)));
            }
            Condition in = Conditions.any(any);
            Condition found = Lookups.where(parts, in);
            if (one.getValue() instanceof Effect.Continue) {
                goesOn = found;
            } else {
                conditions.add(found);
                emit(one.getValue(), one.getKey());
                conditions.clear();
                conditions.addAll(before);
            }
        }
        conditions.add(goesOn);
    }

    /** An element that is added to a set, for which there is room. */
    private void update(Node value) throws RefusedException {
        Node key = Values.plain(value.need("elem"));
        conditions.add(evaluated(key));
        Node data = value.get("data");
        if (data != null && data.map().isEmpty()) {
            throw data.refused(
                    "is put into a map, which Sluice does not read; add"
                            + " --skip-unsupported: packets that it may decide about then depend");
        }
        lookups.named(value.need("set"), lookups.loads(key), data != null);
        if (value.get("stmt") != null || value.text("op").equals("delete")) {
            unknown(value.words());
        }
    }

    /** The condition that an expression has a value. */
    private Condition evaluated(Node expression) throws RefusedException {
        if (EXPRESSIONS.contains(expression.key())) {
            return loads.loaded(expression);
        }
        if (expression.key().equals("map")) {
            Node map = expression.inner();
            List<Loading> parts = lookups.loads(map.need("key"));
            Node data = map.need("data");
            List<Node> elements = data.key().equals("set") ? data.inner().list() : List.of();
            if (data.text().startsWith("@")) {
                NamedSet named = lookups.named(data, parts, true);
                if (named.changes()) {
                    return Lookups.where(
                            parts, new Condition.Unknown("elements of " + data.text()));
                }
                elements = named.elements();
            }
            List<Node> keys = new ArrayList<>();
            for (Node element : elements) {
                if (!element.isList() || element.list().size() != 2) {
                    throw element.refused("has no value; write it behind a colon");
                }
                keys.add(element.list().get(0));
            }
            return Lookups.where(parts, lookups.among(parts, keys));
        }
        List<Condition> all = new ArrayList<>();
        if (!expression.map().isEmpty()) {
            for (Node part : expression.inner().list()) {
                if (!part.map().isEmpty()) {
                    all.add(evaluated(part));
                }
            }
        }
        return Conditions.all(all);
    }
}
