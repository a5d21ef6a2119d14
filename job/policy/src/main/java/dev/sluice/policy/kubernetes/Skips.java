package dev.sluice.policy.kubernetes;

import static dev.sluice.policy.model.Condition.all;

import dev.sluice.policy.RuleReading;
import dev.sluice.policy.model.Condition;
import dev.sluice.policy.yaml.YamlException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Rules and policies that are not understood: defects, or where a user skips them unknown in the
 * region that is understood.
 *
 * <p>A rule keeps its place, its effect and the pods of its policy; whether it fits is unknown. A
 * policy that is not understood may permit and deny what the pods of its namespace send and
 * receive; one without a namespace, or an object that may be no policy, all packets.
 */
final class Skips {
    /** Kinds of policies that decide about packets of pods in their namespace alone. */
    private static final Set<String> OF_NAMESPACE = Set.of("NetworkPolicy", "CiliumNetworkPolicy");

    private final RuleReading in;
    private final Cluster cluster;
    private final boolean skips;
    private final List<Skipped> policies = new ArrayList<>();

    /** A policy that is not understood. */
    private record Skipped(Manifest manifest, Condition unknown) {
        boolean isOfNamespace() {
            return OF_NAMESPACE.contains(manifest.kind());
        }
    }

    Skips(RuleReading in, Cluster cluster, boolean skips) {
        this.in = in;
        this.cluster = cluster;
        this.skips = skips;
    }

    /** The condition of a rule that is not understood. */
    Condition rule(YamlException refused) throws YamlException {
        if (!skips) {
            throw refused;
        }
        return unknown(refused);
    }

    /** Takes a policy that is not understood. */
    void policy(Manifest manifest, YamlException refused) {
        if (skips) {
            policies.add(new Skipped(manifest, unknown(refused)));
        } else {
            in.defect(refused.file(), refused.line(), refused.defect());
        }
    }

    private Condition unknown(YamlException refused) {
        String words = "skipped: " + refused.getMessage();
        in.warn(refused.file(), refused.line(), words);
        return new Condition.Unknown(words);
    }

    /** Adds the policies that may decide about all packets, in front of all rules. */
    void addFirst(StageDraft stage) {
        for (Skipped each : policies) {
            if (!each.isOfNamespace()) {
                stage.addUnclear(stage.direction.field, each.manifest, each.unknown);
            }
        }
    }

    /** Adds the policies of namespaces, behind what no such policy decides. */
    void addOfNamespaces(StageDraft stage) {
        for (Skipped each : policies) {
            if (each.isOfNamespace()) {
                String namespace = each.manifest.namespaceOrDefault();
                List<Pod> pods =
                        cluster.pods().stream()
                                .filter(pod -> pod.namespace().equals(namespace))
                                .toList();
                Condition subject = Peers.subject(pods, stage.direction);
                stage.addUnclear(stage.direction.field, each.manifest, all(subject, each.unknown));
            }
        }
    }
}
