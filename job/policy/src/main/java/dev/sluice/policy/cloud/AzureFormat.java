package dev.sluice.policy.cloud;

import dev.sluice.policy.PolicyFormat;
import dev.sluice.policy.RuleReading;
import dev.sluice.policy.model.Policy;
import java.io.IOException;
import java.util.Map;
import java.util.regex.Pattern;

/** Network security groups of Azure, as {@code az network nsg list} or a template has them. */
public final class AzureFormat implements PolicyFormat {
    private static final Pattern JSON = Pattern.compile("\\A\\s*[\\[{]");
    private static final Pattern RESOURCES =
            Pattern.compile(
                    "\"(?i:type)\"\\s*:\\s*\"(?i:Microsoft\\.(Network|Compute)/)|\"securityRules\"\\s*:"
                            + "|/providers/Microsoft\\.Network/|schema\\.management\\.azure\\.com"
                            + "|\"changeNumber\"\\s*:\\s*[0-9]+");

    @Override
    public String label() {
        return "azure";
    }

    @Override
    public String title() {
        return "Azure";
    }

    @Override
    public String example() {
        return "[{\"securityRules\": [...], ...}], by az network nsg list";
    }

    @Override
    public boolean claims(String begin) {
        return JSON.matcher(begin).find() && RESOURCES.matcher(begin).find();
    }

    @Override
    public boolean readsFolders() {
        return true;
    }

    @Override
    public Map<String, Policy> policies(RuleReading in, boolean skipUnsupported)
            throws IOException {
        return new AzureReading(in, skipUnsupported).policies();
    }
}
