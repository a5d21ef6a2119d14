/**
 * Policies of clouds, from the JSON that their command lines print.
 *
 * <pre>
 * text     = value { value } ;                     one behind the other; a folder is one policy
 * AWS      = { "SecurityGroups": [ group ] | "NetworkAcls": [ acl ] | "NetworkInterfaces": [ interface ]
 *            | "Reservations": [ instances ] | "Subnets": [ subnet ] | "PrefixLists": [ list ]
 *            | "Entries": [ entry ] | key: value }  other keys are counted
 *          | terraform ;                           { "values" or "planned_values": module }
 * group    = { "GroupId", "IpPermissions": [ permission ], "IpPermissionsEgress": [ permission ] } ;
 * permission = { "IpProtocol", "FromPort", "ToPort", sources: "IpRanges", "Ipv6Ranges",
 *              "PrefixListIds", "UserIdGroupPairs" } ;
 * acl      = { "NetworkAclId", "Associations": [ { "SubnetId" } ], "Entries": [ { "RuleNumber",
 *            "Egress", "RuleAction", "Protocol", "CidrBlock" | "Ipv6CidrBlock", "PortRange",
 *            "IcmpTypeCode" } ] } ;
 * Azure    = resource | [ resource ] | { "value" or "resources": [ resource ] } | tags ;
 * resource = { "name", "id", "type", fields or "properties": { fields } } ;   a group, an interface,
 *                                                  a virtual network; others are passed over
 * group    = "securityRules", "defaultSecurityRules", "subnets", "networkInterfaces" ;
 * tags     = { "changeNumber", "values": [ { "name", "properties": { "addressPrefixes" } } ] } ;
 * GCP      = object | [ object ] | { "firewallPolicys": [ policy ], "firewalls": [ firewall ] } ;
 * object   = firewall | policy | instance | network ;
 * firewall = { "name", "network", "direction", "priority", "allowed" or "denied": [ { "IPProtocol",
 *            "ports" } ], ranges, tags, accounts, "disabled" } ;
 * policy   = { "parent" or "associations", "rules": [ { "priority", "direction", "action", "match",
 *            targets, "disabled" } ] } ;
 * </pre>
 *
 * <p>A policy of AWS is four stages: the security groups of the interface that has the source
 * address, the network ACL of its subnet, the ACL of the destination's subnet, and the groups of
 * the interface that has the destination address. A list is a chain, which a stage calls for the
 * addresses that the list is for; conditions of rules name the other end alone:
 *
 * <pre>
 * base of groups   replies; services that no list sees
 *                  interfaces of group A: call chain A     any rule of any group allows
 *                  interfaces of group B: call chain B
 *                  interfaces of group A: deny             groups allow nothing else
 * base of ACLs     services; within a subnet: permit
 *                  subnets of ACL A: call chain A          its first entry decides
 * end              permit                                  the address of no interface is outside
 * </pre>
 *
 * <p>Those of Azure are four stages, too: the group of the source's interface, that of its subnet,
 * that of the destination's subnet, that of its interface; the first rule by priority decides.
 * Those of Google Cloud are two: of the instance that sends and of the one that takes the packet. A
 * stage calls the list of each firewall policy, from which {@code goto_next} comes back, and that
 * of the network's rules, by priority with denials first.
 *
 * <p>References of rules to groups are evaluated when all files are read.
 */
@NullMarked
package dev.sluice.policy.cloud;

import org.jspecify.annotations.NullMarked;
