package dev.sluice.policy.kubernetes;

import dev.sluice.policy.PolicyFormat;
import dev.sluice.policy.RuleReading;
import dev.sluice.policy.model.Policy;
import dev.sluice.policy.yaml.YamlException;
import java.io.IOException;
import java.util.Map;
import java.util.regex.Pattern;

/** Objects of a Kubernetes cluster, as {@code kubectl get -o yaml} prints them. */
public final class KubernetesFormat implements PolicyFormat {
    private static final Pattern VERSION =
            Pattern.compile("(?m)(^|[{,])[ \\t-]*\"?apiVersion\"?\\s*:\\s*\"?[a-z0-9./]*v[0-9]");

    /** Beginning of an object that lacks its version. */
    private static final Pattern KIND =
            Pattern.compile("(?m)^(- )?\"?kind\"?\\s*:\\s*\"?[A-Z][A-Za-z]+");

    @Override
    public String label() {
        return "kubernetes";
    }

    @Override
    public String title() {
        return "Kubernetes";
    }

    @Override
    public String example() {
        return "kind: NetworkPolicy";
    }

    @Override
    public boolean claims(String begin) {
        return VERSION.matcher(begin).find() || KIND.matcher(begin).find();
    }

    @Override
    public boolean readsFolders() {
        return true;
    }

    @Override
    public Map<String, Policy> policies(RuleReading in, boolean skipUnsupported)
            throws IOException {
        try {
            return new ClusterReading(in, skipUnsupported).policies();
        } catch (YamlException e) {
            in.defect(e.file(), e.line(), e.defect());
            return Map.of();
        }
    }
}
