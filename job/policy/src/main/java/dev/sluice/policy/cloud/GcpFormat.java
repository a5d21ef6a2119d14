package dev.sluice.policy.cloud;

import dev.sluice.policy.PolicyFormat;
import dev.sluice.policy.RuleReading;
import dev.sluice.policy.model.Policy;
import java.io.IOException;
import java.util.Map;
import java.util.regex.Pattern;

/** Firewall rules and policies of Google Cloud, as {@code gcloud … --format=json} prints them. */
public final class GcpFormat implements PolicyFormat {
    private static final Pattern JSON = Pattern.compile("\\A\\s*[\\[{]");
    private static final Pattern KINDS =
            Pattern.compile(
                    "\"kind\"\\s*:\\s*\"compute#(firewall|firewallPolicy|instance|network)\""
                            + "|\"IPProtocol\"\\s*:|\"layer4Configs\"\\s*:");

    @Override
    public String label() {
        return "gcp";
    }

    @Override
    public String title() {
        return "Google Cloud";
    }

    @Override
    public String example() {
        return "[{\"kind\": \"compute#firewall\", ...}], by gcloud compute firewall-rules list --format=json";
    }

    @Override
    public boolean claims(String begin) {
        return JSON.matcher(begin).find() && KINDS.matcher(begin).find();
    }

    @Override
    public boolean readsFolders() {
        return true;
    }

    @Override
    public Map<String, Policy> policies(RuleReading in, boolean skipUnsupported)
            throws IOException {
        return new GcpReading(in, skipUnsupported).policies();
    }
}
