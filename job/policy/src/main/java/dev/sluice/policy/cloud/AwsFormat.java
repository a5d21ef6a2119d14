package dev.sluice.policy.cloud;

import dev.sluice.policy.PolicyFormat;
import dev.sluice.policy.RuleReading;
import dev.sluice.policy.model.Policy;
import java.io.IOException;
import java.util.Map;
import java.util.regex.Pattern;

/** Security groups and network ACLs of AWS, as its command line or Terraform prints them. */
public final class AwsFormat implements PolicyFormat {
    private static final Pattern DESCRIBED =
            Pattern.compile(
                    "\\A\\s*\\{\\s*\"(SecurityGroups|NetworkAcls|NetworkInterfaces|Reservations|Subnets|Vpcs"
                            + "|PrefixLists|Addresses|AvailabilityZones|AccountLimits|RouteTables|Entries)\"\\s*:");
    private static final Pattern TERRAFORM =
            Pattern.compile("\\A\\s*\\{\\s*\"format_version\"\\s*:\\s*\"[0-9.]+\"");

    @Override
    public String label() {
        return "aws";
    }

    @Override
    public String title() {
        return "AWS";
    }

    @Override
    public String example() {
        return "{\"SecurityGroups\": [...]}, by aws ec2 describe-security-groups";
    }

    @Override
    public boolean claims(String begin) {
        return DESCRIBED.matcher(begin).find() || TERRAFORM.matcher(begin).find();
    }

    @Override
    public boolean readsFolders() {
        return true;
    }

    @Override
    public Map<String, Policy> policies(RuleReading in, boolean skipUnsupported)
            throws IOException {
        return new AwsReading(in, skipUnsupported).policies();
    }
}
