package dev.sluice.policy.kubernetes;

import static dev.sluice.policy.model.Condition.all;
import static dev.sluice.policy.model.Condition.is;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.model.PolicyRule;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.policy.yaml.YamlException;
import dev.sluice.policy.yaml.YamlFields;
import dev.sluice.policy.yaml.YamlNode;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Policies under Cilium, its own and NetworkPolicies: what a rule denies is denied, then what a
 * rule of any policy allows is allowed, then pods that a policy with rules selects accept nothing.
 */
final class CiliumPolicies implements PolicySet {
    static final String GROUP = "cilium.io";

    private static final String OTHER_KINDS =
            "Cilium(BGP.*|CIDRGroup|ClusterwideEnvoyConfig|EgressGatewayPolicy|Endpoint|EndpointSlice|EnvoyConfig"
                    + "|ExternalWorkload|Identity|L2AnnouncementPolicy|LoadBalancerIPPool|LocalRedirectPolicy|Node"
                    + "|NodeConfig|PodIPPool)";

    private final Cluster cluster;
    private final CiliumEnds ends;
    private final NetworkPolicies namespaced;
    private final Skips skips;
    private final List<Section> sections = new ArrayList<>();

    /**
     * Rules of a policy in one direction.
     *
     * @param denials its rules that deny
     * @param isolates whether the pods that it selects accept nothing that no rule allows
     */
    private record Section(
            NetworkPolicies.Isolation allows,
            NetworkPolicies.Isolation denials,
            boolean isolates) {}

    CiliumPolicies(Cluster cluster, Skips skips) {
        this.cluster = cluster;
        this.skips = skips;
        cluster.removeHostNetwork();
        cluster.takeBlocksForOutside();
        ends = new CiliumEnds(cluster);
        namespaced = new NetworkPolicies(cluster, skips);
    }

    @Override
    public boolean read(Manifest manifest) throws YamlException {
        if (!manifest.group().equals(GROUP)) {
            return namespaced.read(manifest);
        }
        boolean isClusterwide = manifest.kind().equals("CiliumClusterwideNetworkPolicy");
        if (!isClusterwide && !manifest.kind().equals("CiliumNetworkPolicy")) {
            return manifest.kind().matches(OTHER_KINDS);
        }
        manifest.requireVersion("v2");
        YamlFields fields = manifest.fields();
        fields.take("status");
        YamlNode spec = fields.take("spec");
        List<YamlNode> specs = new ArrayList<>(fields.list("specs"));
        fields.requireNoMore(manifest.kind());
        if (spec != null) {
            specs.add(0, spec);
        }
        for (YamlNode each : specs) {
            readSpec(
                    manifest,
                    YamlFields.of(each),
                    isClusterwide ? "" : manifest.namespaceOrDefault());
        }
        return true;
    }

    private void readSpec(Manifest manifest, YamlFields spec, String namespace)
            throws YamlException {
        if (spec.take("nodeSelector") != null) {
            throw spec.at()
                    .refused(
                            "nodeSelector",
                            "is for the firewall of hosts, which Sluice does not judge; leave the policy out");
        }
        List<Pod> subject = ends.pods(spec.require("endpointSelector"), namespace, true);
        spec.take("labels");
        spec.take("description");
        YamlFields isolating = spec.fields("enableDefaultDeny");
        for (Direction direction : Direction.values()) {
            NetworkPolicies.Isolation allows = isolation(manifest, direction, subject);
            NetworkPolicies.Isolation denials = isolation(manifest, direction, subject);
            List<YamlNode> allowing = spec.list(direction.field);
            List<YamlNode> denying = spec.list(direction.field + "Deny");
            for (YamlNode rule : allowing) {
                allows.rules().add(rule(allows, YamlFields.of(rule), namespace, false));
            }
            for (YamlNode rule : denying) {
                denials.rules().add(rule(denials, YamlFields.of(rule), namespace, true));
            }
            boolean isolates = !allowing.isEmpty() || !denying.isEmpty();
            if (isolating != null && isolating.take(direction.field) != null) {
                isolates = isolating.flag(direction.field);
            }
            sections.add(new Section(allows, denials, isolates));
        }
        if (isolating != null) {
            isolating.requireNoMore("enableDefaultDeny");
        }
        spec.requireNoMore(manifest.kind() + " spec");
    }

    /** Rules of one of the specs of a policy, in a chain of their own. */
    private NetworkPolicies.Isolation isolation(
            Manifest manifest, Direction direction, List<Pod> subject) {
        String chain =
                "%s %s %d".formatted(manifest.policyPath(), direction.field, sections.size() / 2);
        return new NetworkPolicies.Isolation(
                manifest, direction, chain, subject, new ArrayList<>());
    }

    private PolicyRule rule(
            NetworkPolicies.Isolation of, YamlFields rule, String namespace, boolean denies)
            throws YamlException {
        Condition condition;
        try {
            condition = condition(of, rule, namespace, denies);
        } catch (YamlException e) {
            condition = skips.rule(e);
        }
        return StageDraft.worded(
                rule,
                of.chain(),
                condition,
                denies ? StageDraft.DENY : StageDraft.PERMIT,
                denies ? "deny" : "allow");
    }

    private Condition condition(
            NetworkPolicies.Isolation of, YamlFields rule, String namespace, boolean denies)
            throws YamlException {
        Direction direction = of.direction();
        List<Condition> peers = new ArrayList<>();
        Peers known = peers(rule, direction, namespace, peers);
        List<YamlNode> ports = rule.list("toPorts");
        List<YamlNode> icmps = rule.list("icmps");
        rule.requireNoMore("a rule of Cilium");
        if (!ports.isEmpty() && !icmps.isEmpty()) {
            throw rule.at()
                    .refused(
                            rule.words(),
                            "has icmps beside toPorts, which Cilium refuses; write two rules");
        }
        if (known == null && ports.isEmpty() && icmps.isEmpty()) {
            if (denies) {
                throw rule.at()
                        .refused(rule.words(), "denies nothing that it names; name ends or ports");
            }
            return Condition.NEVER; // it only makes pods accept nothing else
        }
        Peers ends = known == null ? Peers.ANY : known;
        List<Condition> some = new ArrayList<>();
        for (YamlNode each : ports) {
            some.add(ports(of, YamlFields.of(each), ends, peers, denies));
        }
        for (YamlNode each : icmps) {
            some.add(all(ends(ends, peers, direction), icmp(YamlFields.of(each))));
        }
        return ports.isEmpty() && icmps.isEmpty()
                ? ends(ends, peers, direction)
                : Condition.any(some.toArray(Condition[]::new));
    }

    private static Condition ends(Peers known, List<Condition> more, Direction direction) {
        List<Condition> all = new ArrayList<>(more);
        all.add(known.condition(direction));
        return Condition.any(all.toArray(Condition[]::new));
    }

    /**
     * The pods and blocks at the other end.
     *
     * @param more takes the conditions of other ends that the rule names
     * @return null: it names no ends
     */
    private @Nullable Peers peers(
            YamlFields rule, Direction direction, String namespace, List<Condition> more)
            throws YamlException {
        String prefix = direction.peers;
        YamlNode pods = rule.take(prefix + "Endpoints");
        YamlNode blocks = rule.take(prefix + "CIDR");
        YamlNode sets = rule.take(prefix + "CIDRSet");
        YamlNode entities = rule.take(prefix + "Entities");
        YamlNode names = direction == Direction.EGRESS ? rule.take("toFQDNs") : null;
        int kinds = 0;
        for (YamlNode each :
                new YamlNode[] {pods, blocks == null ? sets : blocks, entities, names}) {
            kinds += each == null ? 0 : 1;
        }
        if (kinds > 1) {
            throw rule.at()
                    .refused(
                            rule.words(),
                            "names ends of two kinds, which Cilium refuses; write two rules");
        }
        if (kinds == 0) {
            return null;
        }
        Peers all = Peers.NONE;
        for (YamlNode each : pods == null ? List.<YamlNode>of() : pods.values()) {
            all = all.or(Peers.ofPods(ends.pods(each, namespace, false)));
            if (namespace.isEmpty() && each.words().equals("{}")) {
                more.add(new Condition.Unknown("whether an empty selector means what is no pod"));
            }
        }
        if (blocks != null || sets != null) {
            all =
                    ends.blocks(
                            blocks == null ? List.of() : blocks.values(),
                            sets == null ? List.of() : sets.values());
        }
        for (YamlNode each : entities == null ? List.<YamlNode>of() : entities.values()) {
            more.add(ends.entity(each, direction));
        }
        if (names != null) {
            more.add(new Condition.Unknown("the addresses of " + names.words()));
        }
        return all;
    }

    private Condition ports(
            NetworkPolicies.Isolation of,
            YamlFields fields,
            Peers peers,
            List<Condition> more,
            boolean denies)
            throws YamlException {
        PortList list = new PortList();
        PortList numbers = new PortList();
        for (YamlNode node : fields.require("ports").values()) {
            YamlFields port = YamlFields.of(node);
            YamlNode number = port.require("port");
            YamlNode protocol = port.take("protocol");
            Integer end = port.number("endPort", 1, Protocol.MOST_PORT);
            port.requireNoMore("a port of Cilium");
            boolean isAny = protocol == null || protocol.string().equals("ANY");
            String words =
                    number instanceof YamlNode.Scalar scalar ? scalar.text() : number.string();
            if (words.matches("0|[1-9][0-9]{0,4}")) {
                int low = Integer.parseInt(words);
                int high = low == 0 ? Protocol.MOST_PORT : end == null ? low : end;
                if (low > high || high > Protocol.MOST_PORT) {
                    throw number.at()
                            .refused(words, "is no range of ports; write the lower one first");
                }
                for (Protocol each : Protocol.values()) {
                    if (isAny || each == Protocol.of(protocol)) {
                        list.add(each, low, high);
                        numbers.add(each, low, high);
                    }
                }
            } else {
                list.add(NetworkPolicies.name(number), isAny ? null : Protocol.of(protocol));
                if (!more.isEmpty()) {
                    throw number.at()
                            .refused(
                                    words,
                                    "is a name beside entities or names of hosts; write a number");
                }
            }
        }
        List<Condition> all = new ArrayList<>();
        all.add(list.condition(peers, of.subject(), cluster, of.direction()));
        for (Condition each : more) {
            all.add(all(each, numbers.condition(Peers.ANY, of.subject(), cluster, of.direction())));
        }
        Condition condition = Condition.any(all.toArray(Condition[]::new));
        List<Condition> seventh = new ArrayList<>();
        for (String layer : List.of("rules", "serverNames")) {
            YamlNode asked = fields.take(layer);
            if (asked != null) {
                if (denies) {
                    throw asked.at().refused(layer, "cannot stand in a rule that denies");
                }
                seventh.add(new Condition.Unknown(layer + " of layer 7: " + asked.words()));
            }
        }
        fields.requireNoMore("toPorts");
        seventh.add(0, condition);
        return all(seventh.toArray(Condition[]::new));
    }

    private static Condition icmp(YamlFields icmp) throws YamlException {
        List<Condition> all = new ArrayList<>();
        for (YamlNode each : icmp.list("fields")) {
            YamlFields field = YamlFields.of(each);
            Integer type = field.number("type", 0, 255);
            String family = field.string("family");
            field.requireNoMore("fields of icmps");
            if (type == null || family != null && !family.matches("IPv[46]")) {
                throw field.at()
                        .refused(
                                field.words(),
                                "is no type of ICMP; write its number and family: IPv4 or IPv6");
            }
            boolean isV6 = "IPv6".equals(family);
            all.add(
                    all(
                            is(Field.IP_VERSION, isV6 ? Field.VERSION_6 : Field.VERSION_4),
                            is(Field.IP_PROTO, isV6 ? 58 : 1),
                            new Condition.In(Field.SRC_PORT, ValueSet.of(type))));
        }
        icmp.requireNoMore("icmps");
        return Condition.any(all.toArray(Condition[]::new));
    }

    @Override
    public void requireOrder() {
        // Denials come first; the order of the rest does not matter.
    }

    @Override
    public void addTo(StageDraft stage) {
        Exemptions.add(stage, cluster, skips);
        if (stage.direction == Direction.INGRESS) {
            Exemptions.addHosts(stage, cluster);
        }
        addOtherProtocols(stage);
        String base = stage.direction.field;
        List<Section> mine =
                sections.stream()
                        .filter(each -> each.allows.direction() == stage.direction)
                        .toList();
        for (Section each : mine) {
            if (!each.denials.rules().isEmpty()) {
                String chain = each.denials.chain() + " deny";
                PolicyRule select = each.denials.select();
                stage.add(select.with(new Effect.Jump(chain)));
                stage.add(chain, each.denials.rules());
            }
        }
        for (Section each : mine) {
            stage.add(each.allows.select());
            stage.add(each.allows.chain(), each.allows.rules());
        }
        namespaced.addTo(stage, base);
        Set<Pod> decided = new HashSet<>();
        for (Section each : mine) {
            if (each.isolates) {
                stage.add(base, each.allows.deny(decided));
            }
        }
    }

    /** Adds that protocols which Cilium may not know are perhaps dropped at every pod. */
    private void addOtherProtocols(StageDraft stage) {
        ValueSet known = ValueSet.of(1).or(ValueSet.of(6)).or(ValueSet.of(17)).or(ValueSet.of(58));
        String chain = stage.direction.field + " other protocols";
        Condition others =
                new Condition.In(Field.IP_PROTO, known.complement(Field.IP_PROTO.bits()));
        stage.add(stage.general(chain, others, new Effect.Jump(chain), "select"));
        Condition drops = new Condition.Unknown("whether Cilium knows the protocol");
        stage.add(
                chain,
                List.of(
                        stage.general(
                                chain,
                                all(Peers.subject(cluster.pods(), stage.direction), drops),
                                StageDraft.DENY,
                                "deny")));
    }
}
