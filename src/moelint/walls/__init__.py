"""walls"""
