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
 * <p>References of rules to groups are evaluated when all files are read.
 */
@NullMarked
package dev.sluice.policy.cloud;

import org.jspecify.annotations.NullMarked;
