package dev.sluice.policy.kubernetes;

import static dev.sluice.policy.model.Condition.all;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.yaml.YamlException;
import dev.sluice.policy.yaml.YamlFields;
import dev.sluice.policy.yaml.YamlNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Policies under Calico: its own, in tiers by their order, and NetworkPolicies, which have the
 * order 1000 in the tier {@code default}.
 */
final class CalicoPolicies implements PolicySet {
    /** Groups of objects as calicoctl and kubectl print them. */
    static final Set<String> GROUPS = Set.of("projectcalico.org", "crd.projectcalico.org");

    private static final String DEFAULT_TIER = "default";
    private static final double DEFAULT_TIER_ORDER = 1_000_000;
    private static final double NETWORK_POLICY_ORDER = 1_000;
    private static final double LAST = Double.POSITIVE_INFINITY;

    private static final Set<String> OTHER_KINDS =
            Set.of(
                    "StagedNetworkPolicy",
                    "StagedGlobalNetworkPolicy",
                    "StagedKubernetesNetworkPolicy",
                    "BGPConfiguration",
                    "BGPFilter",
                    "BGPPeer",
                    "BlockAffinity",
                    "CalicoNodeStatus",
                    "ClusterInformation",
                    "FelixConfiguration",
                    "IPAMBlock",
                    "IPAMConfig",
                    "IPAMConfiguration",
                    "IPAMHandle",
                    "IPPool",
                    "IPReservation",
                    "KubeControllersConfiguration",
                    "Node");

    private final Cluster cluster;
    private final CalicoEnds ends;
    private final NetworkPolicies namespaced;
    private final Skips skips;
    private final Map<String, Tier> tiers = new HashMap<>();
    private final List<Manifest> waiting = new ArrayList<>();
    private final List<Ordered> policies = new ArrayList<>();

    /** The chains of rules that have their own, by direction and name. */
    private final Map<Direction, Map<String, List<PolicyRule>>> chains =
            new EnumMap<>(Direction.class);

    /** Tier of policies. */
    private record Tier(String name, double order, boolean passes) {}

    /**
     * Policy in one direction.
     *
     * @param name by which policies of one order are sorted
     */
    private record Ordered(
            String tier,
            double order,
            String name,
            boolean allowsAlone,
            NetworkPolicies.Isolation policy) {
        String bareName() {
            return name.substring(name.indexOf('/') + 1);
        }
    }

    CalicoPolicies(Cluster cluster, Skips skips) {
        this.cluster = cluster;
        this.skips = skips;
        cluster.removeHostNetwork();
        ends = new CalicoEnds(cluster);
        namespaced = new NetworkPolicies(cluster, skips);
        tiers.put(DEFAULT_TIER, new Tier(DEFAULT_TIER, DEFAULT_TIER_ORDER, false));
    }

    @Override
    public boolean read(Manifest manifest) throws YamlException {
        if (!GROUPS.contains(manifest.group())) {
            return namespaced.read(manifest);
        }
        manifest.requireVersion(manifest.group().startsWith("crd.") ? "v1" : "v3");
        switch (manifest.kind()) {
            case "NetworkPolicy", "GlobalNetworkPolicy" -> waiting.add(manifest);
            case "NetworkSet" -> ends.readSet(manifest, false);
            case "GlobalNetworkSet" -> ends.readSet(manifest, true);
            case "Tier" -> readTier(manifest);
            case "Profile" -> {
                if (!manifest.name().matches("(kns|ksa)\\..*|projectcalico-default-allow")) {
                    throw manifest.at()
                            .refused(manifest.name(), "is a profile that Sluice does not read");
                }
            }
            default -> {
                return OTHER_KINDS.contains(manifest.kind());
            }
        }
        return true;
    }

    private void readTier(Manifest manifest) throws YamlException {
        YamlFields fields = manifest.fields();
        fields.take("status");
        YamlFields spec = fields.fields("spec");
        fields.requireNoMore("Tier");
        double order = LAST;
        boolean passes = false;
        if (spec != null) {
            order = order(spec);
            YamlNode action = spec.take("defaultAction");
            passes = action != null && action.string().equals("Pass");
            if (action != null && !passes && !action.string().equals("Deny")) {
                throw action.at()
                        .refused(action.string(), "is no default action; write Deny or Pass");
            }
            spec.requireNoMore("Tier spec");
        }
        if (manifest.name().equals(DEFAULT_TIER)) {
            order = DEFAULT_TIER_ORDER;
        }
        tiers.put(manifest.name(), new Tier(manifest.name(), order, passes));
    }

    private static double order(YamlFields spec) throws YamlException {
        YamlNode order = spec.take("order");
        if (order == null) {
            return LAST;
        }
        if (order instanceof YamlNode.Scalar scalar
                && scalar.plain()
                && scalar.text().matches("-?[0-9]{1,15}(\\.[0-9]{1,15})?([eE][-+]?[0-9]{1,2})?")) {
            return Double.parseDouble(scalar.text());
        }
        throw order.at().refused(order.words(), "is no order; write a number");
    }

    @Override
    public void requireOrder() {
        for (Manifest each : waiting) {
            try {
                readPolicy(each);
            } catch (YamlException e) {
                skips.policy(each, e);
                policies.removeIf(policy -> policy.policy.manifest().at().equals(each.at()));
                String own = each.policyPath() + " ";
                chains.values().forEach(of -> of.keySet().removeIf(name -> name.startsWith(own)));
            }
        }
        for (Direction direction : Direction.values()) {
            for (NetworkPolicies.Isolation each : namespaced.of(direction)) {
                String name = each.manifest().namespaceOrDefault() + "/knp.default.";
                policies.add(
                        new Ordered(
                                DEFAULT_TIER,
                                NETWORK_POLICY_ORDER,
                                name + each.manifest().name(),
                                true,
                                each));
            }
        }
        policies.sort(Comparator.comparingDouble(Ordered::order).thenComparing(Ordered::name));
        for (int i = 1; i < policies.size(); i++) {
            for (int j = i - 1; j >= 0 && policies.get(j).order == policies.get(i).order; j--) {
                requireOrder(policies.get(j), policies.get(i));
            }
        }
    }

    private void requireOrder(Ordered first, Ordered second) {
        boolean sure =
                !first.tier.equals(second.tier)
                        || first.policy.direction() != second.policy.direction()
                        || first.bareName().compareTo(second.bareName()) < 0
                        || first.allowsAlone && second.allowsAlone
                        || Collections.disjoint(first.policy.subject(), second.policy.subject());
        if (!sure) {
            Manifest later = second.policy.manifest();
            skips.policy(
                    later,
                    later.at()
                            .refused(
                                    later.words(),
                                    "has the order of %s, and their names do not tell which is first; give each an order of its own"
                                            .formatted(first.policy.manifest().words())));
        }
    }

    private void readPolicy(Manifest manifest) throws YamlException {
        boolean isGlobal = manifest.kind().startsWith("Global");
        YamlFields fields = manifest.fields();
        YamlFields spec = YamlFields.of(fields.require("spec"));
        fields.requireNoMore(manifest.kind());
        String tier = Objects.requireNonNullElse(spec.string("tier"), DEFAULT_TIER);
        if (!tiers.containsKey(tier)) {
            throw spec.at()
                    .refused(
                            tier,
                            "is a tier that is missing; add the output of kubectl get tiers.crd.projectcalico.org -o yaml");
        }
        double order = order(spec);
        spec.take("performanceHints");
        String namespace = isGlobal ? "" : manifest.namespaceOrDefault();
        YamlNode selector = spec.take("selector");
        Predicate<String> namespaces =
                isGlobal
                        ? ends.subjectNamespaces(spec.take("namespaceSelector"))
                        : name -> name.equals(namespace);
        if (isGlobal) {
            spec.flag("applyOnForward");
            for (String ofHosts : List.of("doNotTrack", "preDNAT")) {
                if (spec.flag(ofHosts)) {
                    throw spec.at()
                            .refused(
                                    ofHosts,
                                    "is for host endpoints, which Sluice does not judge; leave the policy out");
                }
            }
        }
        List<Pod> subject = ends.subject(selector, namespaces);
        for (Direction direction : types(spec)) {
            NetworkPolicies.Isolation policy =
                    NetworkPolicies.Isolation.of(manifest, direction, subject);
            boolean allowsAlone = true;
            for (YamlNode node : spec.list(direction.field)) {
                YamlFields rule = YamlFields.of(node);
                YamlNode action = rule.require("action");
                allowsAlone &= action.string().equalsIgnoreCase("Allow");
                policy.rules().add(rule(policy, effect(action, tier, direction), namespace, rule));
            }
            policies.add(new Ordered(tier, order, manifest.path(), allowsAlone, policy));
        }
        spec.take(Direction.INGRESS.field);
        spec.take(Direction.EGRESS.field);
        spec.requireNoMore(manifest.kind() + " spec");
    }

    private static List<Direction> types(YamlFields spec) throws YamlException {
        List<Direction> types = new ArrayList<>();
        for (YamlNode type : spec.list("types")) {
            types.add(NetworkPolicies.direction(type));
        }
        if (types.isEmpty()) {
            boolean egress = !spec.list(Direction.EGRESS.field).isEmpty();
            if (!egress || !spec.list(Direction.INGRESS.field).isEmpty()) {
                types.add(Direction.INGRESS);
            }
            if (egress) {
                types.add(Direction.EGRESS);
            }
        }
        return types.stream().distinct().toList();
    }

    private static Effect effect(YamlNode action, String tier, Direction direction)
            throws YamlException {
        return switch (action.string().toLowerCase(Locale.ROOT)) {
            case "allow" -> StageDraft.PERMIT;
            case "deny" -> StageDraft.DENY;
            case "log" -> new Effect.Continue();
            case "pass" -> new Effect.Goto(behind(tier, direction));
            default ->
                    throw action.at()
                            .refused(
                                    action.string(),
                                    "is no action; write Allow, Deny, Log or Pass");
        };
    }

    /** A rule, or the call of its chain where it means all but some packets. */
    private PolicyRule rule(
            NetworkPolicies.Isolation of, Effect effect, String namespace, YamlFields rule)
            throws YamlException {
        List<Condition> but = new ArrayList<>();
        String action = rule.requireString("action");
        Condition condition;
        try {
            condition = condition(namespace, rule, but);
        } catch (YamlException e) {
            condition = skips.rule(e);
            but.clear();
        }
        PolicyRule decides = StageDraft.worded(rule, of.chain(), condition, effect, action);
        if (but.isEmpty()) {
            return decides;
        }
        String own = "%s rule %d".formatted(of.chain(), of.rules().size() + 1);
        List<PolicyRule> chain = new ArrayList<>();
        for (Condition each : but) {
            chain.add(StageDraft.worded(rule, own, each, new Effect.Return(), "return"));
        }
        chain.add(decides);
        chains.computeIfAbsent(of.direction(), none -> new LinkedHashMap<>()).put(own, chain);
        Effect call = new Effect.Jump(own);
        return StageDraft.worded(rule, of.chain(), condition, call, "select");
    }

    private Condition condition(String namespace, YamlFields rule, List<Condition> but)
            throws YamlException {
        rule.take("metadata");
        List<Condition> all = new ArrayList<>();
        Protocol withPorts = CalicoProtocols.take(rule, all);
        for (boolean isSource : new boolean[] {true, false}) {
            YamlFields end = rule.fields(isSource ? "source" : "destination");
            if (end != null) {
                all.add(ends.condition(end, isSource, namespace, withPorts, but));
            }
        }
        rule.requireNoMore("a rule of Calico");
        return all(all.toArray(Condition[]::new));
    }

    private static String chain(String tier, Direction direction) {
        return "tier " + tier + " " + direction.field;
    }

    /** The chain behind a tier. */
    private static String behind(String tier, Direction direction) {
        return "behind " + chain(tier, direction);
    }

    /** Adds what Calico does with replies, invalid packets and the node of a pod. */
    private void addExemptions(StageDraft stage) {
        Exemptions.add(stage, cluster, skips);
        String invalid = stage.direction.field + " invalid packets";
        stage.add(
                stage.general(
                        invalid,
                        new Condition.InState(Set.of(ConnectionState.INVALID)),
                        new Effect.Jump(invalid),
                        "select"));
        Condition drops =
                new Condition.Unknown(
                        "whether the data plane drops what connection tracking calls invalid");
        stage.add(
                invalid,
                List.of(
                        stage.general(
                                invalid,
                                all(Peers.subject(cluster.pods(), stage.direction), drops),
                                StageDraft.DENY,
                                "deny")));
        if (stage.direction == Direction.INGRESS) {
            Exemptions.addHosts(stage, cluster);
        } else {
            Exemptions.addHostsUnclear(stage, cluster, "the defaultEndpointToHostAction of Felix");
        }
    }

    @Override
    public void addTo(StageDraft stage) {
        Direction direction = stage.direction;
        addExemptions(stage);
        chains.getOrDefault(direction, Map.of()).forEach(stage::add);
        String chain = stage.direction.field;
        List<Tier> sorted = new ArrayList<>(tiers.values());
        sorted.sort(Comparator.comparingDouble(Tier::order).thenComparing(Tier::name));
        for (Tier tier : sorted) {
            List<NetworkPolicies.Isolation> own =
                    policies.stream()
                            .filter(each -> each.tier.equals(tier.name))
                            .map(Ordered::policy)
                            .filter(each -> each.direction() == direction)
                            .toList();
            if (own.isEmpty()) {
                continue;
            }
            for (NetworkPolicies.Isolation each : own) {
                stage.add(chain, List.of(each.select()));
                stage.add(each.chain(), each.rules());
            }
            Set<Pod> decided = new HashSet<>();
            for (NetworkPolicies.Isolation each :
                    tier.passes ? List.<NetworkPolicies.Isolation>of() : own) {
                stage.add(chain, each.deny(decided));
            }
            String next = behind(tier.name, direction);
            stage.add(
                    chain,
                    List.of(
                            stage.general(
                                    "what " + chain(tier.name, direction) + " leaves",
                                    Condition.ALWAYS,
                                    new Effect.Goto(next),
                                    "pass")));
            chain = next;
        }
        stage.add(chain, List.of(stage.end()));
    }
}
