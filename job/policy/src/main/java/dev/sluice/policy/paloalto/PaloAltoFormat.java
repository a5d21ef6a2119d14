package dev.sluice.policy.paloalto;

import dev.sluice.policy.PolicyFormat;
import dev.sluice.policy.RuleReading;
import dev.sluice.policy.appliance.ConfigNode;
import dev.sluice.policy.appliance.XmlTree;
import dev.sluice.policy.model.Policy;
import java.io.IOException;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Configurations of PAN-OS firewalls and Panorama, as XML, in {@code set} format or with braces.
 */
public final class PaloAltoFormat implements PolicyFormat {
    private static final Pattern SET =
            Pattern.compile(
                    "(?m)^\\s*set (?:.* )?(?:(?:pre-|post-)?rulebase (?:security|default-security-rules|nat) "
                            + "|zone \\S+ network (?:layer[23]|tap|virtual-wire)"
                            + "|deviceconfig system |device-group \\S+ |address \\S+ (?:ip-netmask|ip-range|fqdn) )");

    private static final Pattern BRACES =
            Pattern.compile(
                    "(?m)^[ \\t]*(?:(?:pre-|post-)?rulebase|deviceconfig|device-group|address-group)\\s*\\{");

    private static final Pattern XML =
            Pattern.compile(
                    "\\A\\s*(?:<\\?xml[^>]*>\\s*)?(?:<!--.*?-->\\s*)*(?:<response[^>]*>\\s*<result[^>]*>\\s*)?"
                            + "<(?:config (?:urldb|version|detail-version)|config>\\s*(?:<mgt-config|<shared|<devices|<!--)"
                            + "|(?:pre-|post-)?rulebase>|security>\\s*<rules|response status=)",
                    Pattern.DOTALL);

    @Override
    public String label() {
        return "paloalto";
    }

    @Override
    public String title() {
        return "PAN-OS configuration";
    }

    @Override
    public String example() {
        return "set rulebase security rules web action allow";
    }

    @Override
    public boolean claims(String begin) {
        return XML.matcher(begin).find()
                || SET.matcher(begin).find()
                || BRACES.matcher(begin).find();
    }

    @Override
    public Map<String, Policy> policies(RuleReading in, boolean skipUnsupported)
            throws IOException {
        String text = in.text();
        ConfigNode root =
                text.stripLeading().startsWith("<")
                        ? XmlTree.read(in, text)
                        : SET.matcher(text).find()
                                ? SetText.read(in, text)
                                : SetText.readBraces(in, text);
        if (in.hasDefects()) {
            return Map.of();
        }
        Map<String, Policy> policies = new PanPolicies(in, skipUnsupported).of(root);
        return in.hasDefects() ? Map.of() : policies;
    }
}
