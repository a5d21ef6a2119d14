package dev.sluice.policy.kubernetes;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Effect;
import dev.sluice.policy.yaml.YamlException;

/** Policies of Kubernetes itself, under a network plugin that nobody names. */
final class StandardPolicies implements PolicySet {
    private static final Condition OTHER_PROTOCOLS =
            new Condition.Unknown(
                    "whether the network plugin judges protocols other than TCP, UDP and SCTP");

    private final Cluster cluster;
    private final Skips skips;
    private final NetworkPolicies namespaced;
    private final AdminPolicies admin;

    StandardPolicies(Cluster cluster, Skips skips) {
        this.cluster = cluster;
        this.skips = skips;
        namespaced = new NetworkPolicies(cluster, skips);
        admin = new AdminPolicies(cluster, skips);
    }

    @Override
    public boolean read(Manifest manifest) throws YamlException {
        return namespaced.read(manifest) || admin.read(manifest);
    }

    @Override
    public void requireOrder() {
        admin.requireOrder();
    }

    @Override
    public void addTo(StageDraft stage) {
        Exemptions.add(stage, cluster, skips);
        Exemptions.addHosts(stage, cluster);
        String others = stage.direction.field + " other protocols";
        stage.add(stage.general(others, Protocol.others(), new Effect.Jump(others), "select"));
        namespaced.addUnclear(stage, others, OTHER_PROTOCOLS);
        admin.addUnclear(stage, others, OTHER_PROTOCOLS);
        String chain = admin.addFirst(stage);
        namespaced.addTo(stage, chain);
        admin.addLast(stage, chain);
    }
}
